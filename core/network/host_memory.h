// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

/// Returns zeros on the host's own heap, which the allocator that counts a CPU device's memory does not see.
/// They are pinned for a GPU.
/// \param device  device that uses the numbers
at::Tensor hostZeros(std::int64_t elements, at::ScalarType type, at::Device device);

} // namespace batchpeak::network
