// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

/// Rotates queries and keys by their positions (RoFormer, arXiv 2104.09864), the halves of a head paired
/// as GPT-NeoX, LLaMA and transformers pair them. It holds two tables and no parameters.
class RotaryPositions
{
public:
    /// \param dimensions  leading elements of a head that are rotated, an even number
    RotaryPositions(std::int64_t dimensions, std::int64_t length, double theta, at::ScalarType type,
                    at::Device device);

    /// \param heads  {samples, length, heads, head size}
    at::Tensor rotated(const at::Tensor& heads) const;

    /// Elements of each of the two tables.
    static std::int64_t tableElements(std::int64_t dimensions, std::int64_t length);

private:
    at::Tensor m_cosines;
    at::Tensor m_sines;
};

/// What ALiBi adds to attention (arXiv 2108.12409, 3), as a causal mask: slope times position, and minus
/// infinity for what comes later, {heads, length, length}. Slopes are as BLOOM's and transformers', also
/// where the heads are no power of two.
at::Tensor linearBiases(std::int64_t heads, std::int64_t length, at::ScalarType type, at::Device device);

/// Buckets that T5 sorts distances between tokens into, one learned number a head for each (arXiv
/// 1910.10683, section 2.1): half of a direction's buckets hold one distance each, the others widen
/// logarithmically up to the maximum distance, and the last one holds all beyond.
struct RelativeBuckets
{
    std::int64_t count = 0;
    std::int64_t maxDistance = 0;
    /// Half of the buckets are for keys after the query; else those share the bucket of distance 0.
    bool bidirectional = false;
};

/// Of a key that stands \p offset tokens after the query, before it where negative; 0 to count - 1.
std::int64_t relativeBucket(const RelativeBuckets& buckets, std::int64_t offset);

/// int32 {queries, keys}: the bucket of every key for every query.
at::Tensor relativeBucketTable(const RelativeBuckets& buckets, std::int64_t queries, std::int64_t keys,
                               at::Device device);

} // namespace batchpeak::network
