// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_random.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_set>
#include <utility>

namespace batchpeak::data {

namespace {

std::mt19937_64 generatorOf(std::uint64_t seed, std::int64_t epoch)
{
    const auto number = static_cast<std::uint64_t>(epoch);
    std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                           static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
    return std::mt19937_64(sequence);
}

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

std::int64_t SampleOrder::at(std::int64_t epoch, std::int64_t place) const
{
    if (epoch != m_epoch)
        shuffle(epoch);
    return m_order[static_cast<std::size_t>(place)];
}

// Fisher-Yates shuffle. std::shuffle is not used, since the standard does not specify which permutation it
// makes. The remainder makes small places more probable by less than 1 in 2^30.
void SampleOrder::shuffle(std::int64_t epoch) const
{
    m_epoch = epoch;
    m_order.resize(static_cast<std::size_t>(m_samples));
    std::iota(m_order.begin(), m_order.end(), std::int64_t{0});
    std::mt19937_64 random = generatorOf(m_seed, epoch);
    for (std::size_t left = m_order.size(); left > 1; --left)
        std::swap(m_order[left - 1], m_order[random() % left]);
}

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
