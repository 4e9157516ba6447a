// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_random.h"

#include <numeric>
#include <random>
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

} // namespace batchpeak::data
