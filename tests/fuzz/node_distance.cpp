// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "node_distance.h"

#include <cstdint>
#include <vector>

namespace batchpeak::fuzz {

namespace {

bool haveEqualContent(const config::YamlNode& one, const config::YamlNode& other)
{
    return one.kind == other.kind && one.depth == other.depth && one.plain == other.plain &&
           one.value == other.value && one.tag == other.tag && (one.anchor != 0) == (other.anchor != 0);
}

} // namespace

std::size_t nodeDistance(const config::YamlDocument& before, const config::YamlDocument& after,
                         std::size_t max)
{
    const auto& from = before.nodes();
    const auto& to = after.nodes();
    const auto bound = static_cast<std::int64_t>(max);
    // Furthest position in "from" on each diagonal; the indices are shifted so that none is negative.
    std::vector<std::int64_t> furthest(std::size_t(2 * bound + 3), 0);
    for (std::int64_t changes = 0; changes <= bound; ++changes) {
        for (std::int64_t diagonal = -changes; diagonal <= changes; diagonal += 2) {
            const auto at = std::size_t(diagonal + bound + 1);
            const bool isAdded =
                diagonal == -changes || (diagonal != changes && furthest[at - 1] < furthest[at + 1]);
            std::int64_t place = isAdded ? furthest[at + 1] : furthest[at - 1] + 1;
            const auto size = static_cast<std::int64_t>(from.size());
            const auto otherSize = static_cast<std::int64_t>(to.size());
            while (place < size && place - diagonal < otherSize &&
                   haveEqualContent(from[std::size_t(place)], to[std::size_t(place - diagonal)]))
                ++place;
            furthest[at] = place;
            if (place >= size && place - diagonal >= otherSize)
                return std::size_t(changes);
        }
    }
    return max + 1;
}

} // namespace batchpeak::fuzz
