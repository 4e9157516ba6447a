// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace batchpeak::data {

/// Random numbers for one sample that only depend on its key, the same on every machine. The generator is
/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): seeding it
/// costs nothing, and each sample has a seed of its own.
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

    /// Returns a number from 0 to below \p bound.
    std::int64_t below(std::int64_t bound)
    {
        return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
    }

    /// Returns a number from 0 to below 1.
    double share() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

private:
    std::uint64_t m_state;
};

/// The order of samples in an epoch: a permutation that only depends on seed and epoch, the same with every
/// compiler.
class SampleOrder
{
public:
    SampleOrder(std::int64_t samples, std::uint64_t seed) : m_samples(samples), m_seed(seed) {}

    /// Returns the sample at a place of an epoch.
    /// \param place  from 0 to below the number of samples
    std::int64_t at(std::int64_t epoch, std::int64_t place) const;

private:
    void shuffle(std::int64_t epoch) const;

    std::int64_t m_samples;
    std::uint64_t m_seed;
    /// Epoch of m_order: the one that was requested last.
    mutable std::int64_t m_epoch = -1;
    mutable std::vector<std::int64_t> m_order;
};

/// The disjoint sets of samples that are trained on, and that are held out for evaluation. They are drawn
/// from the seed and the two counts only, and are the same on every machine.
///
/// The caller decides how many are held out, and in which order the training samples are used.
class SampleSplit
{
public:
    /// \param samples  number of all samples
    /// \param heldOut  number of samples that are held out, from 0 to below \p samples
    SampleSplit(std::int64_t samples, std::int64_t heldOut, std::uint64_t seed);

    std::int64_t trainingSamples() const { return m_samples - heldOutSamples(); }
    std::int64_t heldOutSamples() const { return static_cast<std::int64_t>(m_trainedBefore.size()); }

    /// Returns a sample that is trained on; these are ordered by their numbers.
    /// \param place  from 0 to below trainingSamples()
    std::int64_t training(std::int64_t place) const;
    /// Returns a sample that is held out. These are in random order, also drawn from the seed, so that the
    /// first of them represent all.
    /// \param place  from 0 to below heldOutSamples()
    std::int64_t heldOut(std::int64_t place) const;

private:
    std::int64_t m_samples;
    /// Number of training samples before each held-out sample; ascending.
    std::vector<std::int64_t> m_trainedBefore;
    SampleOrder m_heldOutOrder;
};

} // namespace batchpeak::data
