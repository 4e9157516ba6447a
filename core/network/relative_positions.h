// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace batchpeak::network {

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
