// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

/// Rotates queries and keys by their positions (RoFormer, arXiv 2104.09864). The halves of a head are paired
/// as in GPT-NeoX, LLaMA and transformers. It holds two tables and no parameters.
class RotaryPositions
{
public:
    /// \param dimensions  number of leading elements of a head that are rotated, an even number
    RotaryPositions(std::int64_t dimensions, std::int64_t length, double theta, at::ScalarType type,
                    at::Device device);

    /// \param heads  {samples, length, heads, head size}
    at::Tensor rotated(const at::Tensor& heads) const;

    /// Returns the number of elements of each of the two tables.
    static std::int64_t tableElements(std::int64_t dimensions, std::int64_t length);

private:
    at::Tensor m_cosines;
    at::Tensor m_sines;
};

/// Returns what ALiBi adds to the scores of attention (arXiv 2108.12409, 3), as a causal mask: slope times
/// position, and minus infinity for later tokens, {heads, length, length}. The slopes are those of BLOOM and
/// transformers, also if the number of heads is not a power of two.
at::Tensor linearBiases(std::int64_t heads, std::int64_t length, at::ScalarType type, at::Device device);

/// Buckets that T5 sorts distances between tokens into, with one learned number per head for each bucket
/// (arXiv 1910.10683, section 2.1): half of a direction's buckets hold one distance each, the others widen
/// logarithmically up to the maximum distance, and the last one holds all larger distances.
struct RelativeBuckets
{
    std::int64_t count = 0;
    std::int64_t maxDistance = 0;
    /// Whether half of the buckets are for keys after the query; otherwise such keys share the bucket of
    /// distance 0.
    bool bidirectional = false;
};

/// Returns the bucket, 0 to count - 1, of a key that stands \p offset tokens after the query, or before it if
/// negative.
std::int64_t relativeBucket(const RelativeBuckets& buckets, std::int64_t offset);

/// Returns the bucket of every key for every query, int32 {queries, keys}.
at::Tensor relativeBucketTable(const RelativeBuckets& buckets, std::int64_t queries, std::int64_t keys,
                               at::Device device);

} // namespace batchpeak::network
