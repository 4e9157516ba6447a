// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "thinned_trials.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace batchpeak::engine {

namespace {

/// Places of the remaining measurements of one size, from the newest to the oldest.
using Places = std::vector<std::size_t>;

/// Whether fewer measurements of \p one are left or, if equally many are, its oldest is newer.
bool isKeptBefore(const Places& one, const Places& other)
{
    if (one.size() != other.size())
        return one.size() < other.size();
    return one.back() > other.back();
}

} // namespace

void thinOut(std::vector<search::Measurement>& measurements, std::size_t max)
{
    std::map<std::int64_t, Places> bySize;
    for (std::size_t place = measurements.size(); place-- > 0;)
        bySize[measurements[place].size].push_back(place);
    std::vector<Places> sizes;
    sizes.reserve(bySize.size());
    for (auto& [size, places] : bySize)
        sizes.push_back(std::move(places));
    // A heap counts the trials once instead of for each removal: an exploration has up to 100,000.
    std::ranges::make_heap(sizes, isKeptBefore);

    std::vector<bool> goes(measurements.size());
    for (std::size_t left = measurements.size(); left > max; --left) {
        std::ranges::pop_heap(sizes, isKeptBefore);
        goes[sizes.back().back()] = true;
        sizes.back().pop_back();
        if (sizes.back().empty())
            sizes.pop_back();
        else
            std::ranges::push_heap(sizes, isKeptBefore);
    }
    std::size_t place = 0;
    std::erase_if(measurements, [&](const search::Measurement&) { return goes[place++]; });
}

} // namespace batchpeak::engine
