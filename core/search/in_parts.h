// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace batchpeak::search {

/// Calls \p work(first, last) for consecutive parts of 0..count in parallel, on as many processors as exist,
/// up to maxParts. If no item depends on another, the result is the same for any number of parts. If the
/// system has no thread to spare, a part runs after the first one.
template<typename Work>
void inParts(std::size_t count, const Work& work)
{
    constexpr std::size_t maxParts = 4;
    const std::size_t parts = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, maxParts);
    const auto begin = [&](std::size_t part) { return count * part / parts; };
    // With both policies, a part that cannot get a thread runs when its result is requested.
    constexpr auto sideBySide = std::launch::async | std::launch::deferred;
    std::vector<std::future<void>> others;
    for (std::size_t part = 1; part < parts; ++part)
        others.push_back(std::async(sideBySide, [&, part] { work(begin(part), begin(part + 1)); }));
    work(begin(0), begin(1));
    for (std::future<void>& other : others)
        other.get();
}

} // namespace batchpeak::search
