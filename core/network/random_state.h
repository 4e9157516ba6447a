// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>

namespace batchpeak::network {

// The state of a device's default generator, from which dropout and initial parameters come.

void seedRandom(at::Device device, std::uint64_t seed);

/// Bytes in main memory, in libtorch's own layout, whatever the device.
at::Tensor randomState(at::Device device);

/// \param state  of randomState for a device of the same kind
void setRandomState(at::Device device, const at::Tensor& state);

} // namespace batchpeak::network
