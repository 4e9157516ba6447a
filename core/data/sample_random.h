// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace batchpeak::data {

/// What is random about one sample, from its key alone: the same on every machine. It is SplitMix64 (Steele,
/// Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): a seed costs it nothing, and
/// each sample has one of its own.
class SampleRandom
{
public:
    explicit SampleRandom(std::uint64_t key) : m_state(key) {}

    std::uint64_t next()
    {
        m_state += 0x9e3779b97f4a7c15;
        std::uint64_t mixed = m_state;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        return mixed ^ (mixed >> 31);
    }

    /// From 0 to below \p bound.
    std::int64_t below(std::int64_t bound)
    {
        return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
    }

    /// From 0 to below 1.
    double share() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

private:
    std::uint64_t m_state;
};

/// Which sample stands at each place of an epoch: a permutation that depends on seed and epoch alone, the
/// same with every compiler.
class SampleOrder
{
public:
    SampleOrder(std::int64_t samples, std::uint64_t seed) : m_samples(samples), m_seed(seed) {}

    /// \param place  from 0 to below the number of samples
    std::int64_t at(std::int64_t epoch, std::int64_t place) const;

private:
    void shuffle(std::int64_t epoch) const;

    std::int64_t m_samples;
    std::uint64_t m_seed;
    /// Of the epoch asked for last.
    mutable std::int64_t m_epoch = -1;
    mutable std::vector<std::int64_t> m_order;
};

} // namespace batchpeak::data
