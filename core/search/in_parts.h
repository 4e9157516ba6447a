// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace batchpeak::search {

/// Calls \p work(first, last) for parts of 0..count side by side, on as many processors as are there and
/// worth it. Where no item depends on another one the result is the same on any number of them. Where the
/// system has no thread to spare, a part is worked on behind the first.
template<typename Work>
void inParts(std::size_t count, const Work& work)
{
    constexpr std::size_t maxParts = 4;
    const std::size_t parts = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, maxParts);
    const auto begin = [&](std::size_t part) { return count * part / parts; };
    // With both policies one that cannot begin by itself is done when it is asked for.
    constexpr auto sideBySide = std::launch::async | std::launch::deferred;
    std::vector<std::future<void>> others;
    for (std::size_t part = 1; part < parts; ++part)
        others.push_back(std::async(sideBySide, [&, part] { work(begin(part), begin(part + 1)); }));
    work(begin(0), begin(1));
    for (std::future<void>& other : others)
        other.get();
}

} // namespace batchpeak::search
