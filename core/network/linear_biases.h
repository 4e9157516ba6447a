// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

/// What ALiBi adds to attention (arXiv 2108.12409, 3), as a causal mask: slope times position, and minus
/// infinity for what comes later, {heads, length, length}. Slopes are as BLOOM's and transformers', also
/// where the heads are no power of two.
at::Tensor linearBiases(std::int64_t heads, std::int64_t length, at::ScalarType type, at::Device device);

} // namespace batchpeak::network
