// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "candidate_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

namespace batchpeak::search {

namespace {

constexpr double fineStep = 1.004;
constexpr double coarseStep = 1.02;
constexpr std::int64_t smallTile = 8;
constexpr std::int64_t smallTileLimit = 1200;
constexpr std::int64_t largeTile = 64;
/// Above this size, a step of 0.4 % is as fine as the large tile itself.
constexpr std::int64_t largeTileLimit = 16384;

double geometricMean(std::int64_t a, std::int64_t b)
{
    return std::sqrt(static_cast<double>(a) * static_cast<double>(b));
}

} // namespace

CandidateSet::CandidateSet(const SearchSpace& space)
    : m_smallest(space.minimum), m_largest(space.maximum), m_list(space.candidates)
{
    if (m_smallest < 1) {
        throw std::invalid_argument(
            "The smallest micro-batch size allowed is " + std::to_string(m_smallest) +
            ", but a micro-batch has at least one sample: give a minimum of 1 or more.");
    }
    if (m_largest < m_smallest) {
        throw std::invalid_argument("The largest micro-batch size allowed, " + std::to_string(m_largest) +
                                    ", is below the smallest, " + std::to_string(m_smallest) +
                                    ": raise the maximum or lower the minimum.");
    }
    if (m_list.empty())
        return;
    if (std::ranges::adjacent_find(m_list, std::greater_equal()) != m_list.end())
        throw std::invalid_argument("The list of allowed micro-batch sizes must be ascending.");
    if (m_list.front() < m_smallest || m_list.back() > m_largest) {
        throw std::invalid_argument("The list of allowed micro-batch sizes leaves the bounds " +
                                    std::to_string(m_smallest) + " to " + std::to_string(m_largest) + ".");
    }
    m_smallest = m_list.front();
    m_largest = m_list.back();
}

bool CandidateSet::contains(std::int64_t size) const
{
    return atMost(size) == size;
}

std::int64_t CandidateSet::smallest() const
{
    return *above(m_smallest - 1);
}

std::int64_t CandidateSet::largest() const
{
    return *atMost(m_largest);
}

bool CandidateSet::isExcluded(std::int64_t size) const
{
    return std::ranges::binary_search(m_excluded, size);
}

bool CandidateSet::setExcluded(std::int64_t size, bool isExcluded)
{
    const auto place = std::ranges::lower_bound(m_excluded, size);
    const bool wasExcluded = place != m_excluded.end() && *place == size;
    if (wasExcluded == isExcluded)
        return false;
    if (wasExcluded) {
        m_excluded.erase(place);
        return true;
    }
    if (!contains(size) || smallest() == largest())
        return false;
    m_excluded.insert(place, size);
    return true;
}

std::optional<std::int64_t> CandidateSet::spaceAtMost(std::int64_t size) const
{
    if (size < m_smallest)
        return std::nullopt;
    if (m_list.empty())
        return std::min(size, m_largest);
    return *std::prev(std::ranges::upper_bound(m_list, size));
}

std::optional<std::int64_t> CandidateSet::spaceAbove(std::int64_t size) const
{
    if (size >= m_largest)
        return std::nullopt;
    if (m_list.empty())
        return std::max(size + 1, m_smallest);
    return *std::ranges::upper_bound(m_list, size);
}

std::optional<std::int64_t> CandidateSet::atMost(std::int64_t size) const
{
    std::optional<std::int64_t> found = spaceAtMost(size);
    while (found && isExcluded(*found))
        found = spaceAtMost(*found - 1);
    return found;
}

std::optional<std::int64_t> CandidateSet::above(std::int64_t size) const
{
    std::optional<std::int64_t> found = spaceAbove(size);
    while (found && isExcluded(*found))
        found = spaceAbove(*found);
    return found;
}

std::optional<std::int64_t> CandidateSet::halved(std::int64_t size) const
{
    if (size <= smallest())
        return std::nullopt;
    return atMost(size / 2).value_or(smallest());
}

std::int64_t CandidateSet::powerOfTwoAtMost(std::int64_t limit) const
{
    std::int64_t size = std::min(limit, m_largest);
    if (m_list.empty() && size > 0)
        size = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size)));
    return atMost(size).value_or(smallest());
}

std::optional<std::int64_t> CandidateSet::between(std::int64_t low, std::int64_t high) const
{
    const std::optional<std::int64_t> first = above(low);
    const std::optional<std::int64_t> last = atMost(high - 1);
    if (!first || !last || *first > *last)
        return std::nullopt;

    const double middle = geometricMean(std::max<std::int64_t>(low, 1), high);
    if (m_list.empty()) {
        const auto gap = static_cast<std::uint64_t>(high - low);
        const auto tile = static_cast<std::int64_t>(std::max<std::uint64_t>(std::bit_floor(gap / 4), 1));
        const auto nearest = tile * std::llround(middle / static_cast<double>(tile));
        return atMost(std::clamp<std::int64_t>(nearest, *first, *last));
    }
    const std::int64_t below = std::max(*first, atMost(static_cast<std::int64_t>(middle)).value_or(*first));
    const std::int64_t next = std::min(*last, above(below).value_or(*last));
    return geometricMean(below, next) > middle ? below : next;
}

std::vector<std::int64_t> CandidateSet::grid(std::int64_t limit, std::int64_t fineLimit) const
{
    const std::int64_t end = std::min(limit, m_largest);
    std::vector<std::int64_t> sizes;
    if (!m_list.empty()) {
        std::ranges::copy_if(m_list, std::back_inserter(sizes),
                             [&](std::int64_t m) { return m <= end && !isExcluded(m); });
        return sizes;
    }
    for (std::int64_t m = m_smallest; m <= end;) {
        sizes.push_back(m);
        const double step = m < fineLimit ? fineStep : coarseStep;
        m = std::max(m + 1, static_cast<std::int64_t>(step * static_cast<double>(m)));
    }
    const auto addMultiples = [&](std::int64_t tile, std::int64_t from, std::int64_t to) {
        for (std::int64_t m = (std::max(from, m_smallest) + tile - 1) / tile * tile; m <= std::min(to, end);
             m += tile)
            sizes.push_back(m);
    };
    addMultiples(smallTile, 1, std::min(smallTileLimit, fineLimit));
    addMultiples(largeTile, smallTileLimit, std::min(largeTileLimit, fineLimit));
    if (end >= m_smallest)
        sizes.push_back(end);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::erase_if(sizes, [this](std::int64_t size) { return isExcluded(size); });
    return sizes;
}

} // namespace batchpeak::search
