// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

/// On the host's own heap, past the allocator that counts a CPU device's memory; pinned for a GPU.
/// \param device  that the numbers are for
at::Tensor hostZeros(std::int64_t elements, at::ScalarType type, at::Device device);

} // namespace batchpeak::network
