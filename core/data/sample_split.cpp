// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_split.h"

#include <algorithm>
#include <unordered_set>

namespace batchpeak::data {

namespace {

/// Separates the random numbers here from others that are drawn from the same seed; any number would do.
constexpr std::uint64_t ofSplits = 0x73706c6974;

/// Draws \p count of \p samples samples, ascending, with Floyd's algorithm (Bentley, "Programming pearls: a
/// sample of brilliance", CACM 30(9), 1987): each set of that size is equally probable, and memory only holds
/// what is drawn.
std::vector<std::int64_t> drawn(std::int64_t samples, std::int64_t count, std::uint64_t seed)
{
    SampleRandom random(SampleRandom(seed).next() ^ ofSplits);
    std::unordered_set<std::int64_t> taken;
    for (std::int64_t last = samples - count; last < samples; ++last) {
        if (!taken.insert(random.below(last + 1)).second)
            taken.insert(last);
    }
    std::vector<std::int64_t> ascending(taken.begin(), taken.end());
    std::ranges::sort(ascending);
    return ascending;
}

} // namespace

SampleSplit::SampleSplit(std::int64_t samples, std::int64_t heldOut, std::uint64_t seed)
    : m_samples(samples), m_heldOutOrder(heldOut, seed)
{
    for (const std::int64_t sample : drawn(samples, heldOut, seed))
        m_trainedBefore.push_back(sample - static_cast<std::int64_t>(m_trainedBefore.size()));
}

std::int64_t SampleSplit::training(std::int64_t place) const
{
    const auto heldOutBefore = std::ranges::upper_bound(m_trainedBefore, place) - m_trainedBefore.begin();
    return place + heldOutBefore;
}

std::int64_t SampleSplit::heldOut(std::int64_t place) const
{
    const std::int64_t ascending = m_heldOutOrder.at(0, place);
    return m_trainedBefore[static_cast<std::size_t>(ascending)] + ascending;
}

} // namespace batchpeak::data
