// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/constant_pad_nd.h>

#include <cstdint>

namespace batchpeak::network {

/// Blocks of values that share a scale, as quantized numbers have them: a flat tensor is split into blocks,
/// the last of which may be shorter.

inline std::int64_t blocksOf(std::int64_t count, std::int64_t blockSize)
{
    return (count + blockSize - 1) / blockSize;
}

/// Returns {blocks, blockSize}, where the last block is padded with zeros.
inline at::Tensor inBlocks(const at::Tensor& flat, std::int64_t blockSize)
{
    const std::int64_t missing = blocksOf(flat.numel(), blockSize) * blockSize - flat.numel();
    return (missing > 0 ? at::constant_pad_nd(flat, {0, missing}) : flat).view({-1, blockSize});
}

} // namespace batchpeak::network
