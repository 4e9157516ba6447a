// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "relative_positions.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace batchpeak::network {

std::int64_t relativeBucket(const RelativeBuckets& buckets, std::int64_t offset)
{
    const std::int64_t perDirection = buckets.bidirectional ? buckets.count / 2 : buckets.count;
    const std::int64_t first = buckets.bidirectional && offset > 0 ? perDirection : 0;
    const std::int64_t distance =
        buckets.bidirectional ? std::abs(offset) : std::max<std::int64_t>(-offset, 0);
    const std::int64_t exact = perDirection / 2;
    if (distance < exact)
        return first + distance;
    // In single precision, as all implementations have it: at the bounds of a bucket rounding decides.
    const float growth =
        std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
        static_cast<float>(std::log(static_cast<double>(buckets.maxDistance) / static_cast<double>(exact)));
    const auto wide = static_cast<std::int64_t>(growth * static_cast<float>(perDirection - exact));
    return first + std::min(exact + wide, perDirection - 1);
}

at::Tensor relativeBucketTable(const RelativeBuckets& buckets, std::int64_t queries, std::int64_t keys,
                               at::Device device)
{
    std::vector<std::int32_t> ofOffset;
    for (std::int64_t offset = 1 - queries; offset < keys; ++offset)
        ofOffset.push_back(static_cast<std::int32_t>(relativeBucket(buckets, offset)));
    std::vector<std::int32_t> table;
    table.reserve(static_cast<std::size_t>(queries * keys));
    for (std::int64_t query = 0; query < queries; ++query) {
        const auto row = ofOffset.begin() + (queries - 1 - query);
        table.insert(table.end(), row, row + keys);
    }
    // Straight into its place: no second table is ever on the device.
    at::Tensor onDevice = at::empty({queries, keys}, at::TensorOptions(device).dtype(at::kInt));
    onDevice.copy_(at::from_blob(table.data(), {queries, keys}, at::kInt));
    return onDevice;
}

} // namespace batchpeak::network
