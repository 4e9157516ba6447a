// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "networks/network.h"

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// The micro-batches that timed steps run on: random, made before the clock starts. For a GPU they lie in
/// pinned memory of the host, from where a step copies them as trainers do; for a processor there is no copy.
///
/// Without a distribution of lengths every sample is as long as it may be, and one micro-batch serves all
/// steps. With one, a micro-batch is as long as the longest of its samples, as padding makes it, with an
/// attention mask where it pads, and a step is the mean over a cycle of several; memory is then still that of
/// the longest, which training meets sooner or later.
class RandomBatches
{
public:
    /// \param sequenceLength  of the longest sample; cuts longer ones
    /// \param sampleLengths  lengths as they occur, each as probable as the others; empty: all are the
    ///        longest
    RandomBatches(std::int64_t sequenceLength, std::vector<std::int64_t> sampleLengths, std::uint64_t seed);

    void make(const Network& network, std::int64_t microBatchSize);
    void drop();
    /// Puts the samples of each micro-batch into another order, in place.
    void shuffle();

    /// What one step averages over; never empty once made.
    const std::vector<Batch>& cycle() const { return m_cycle; }
    /// To be run once, untimed, before steps of a cycle, for the memory that it takes; null where the cycle
    /// takes as much.
    const Batch* longest() const { return m_longest.empty() ? nullptr : &m_longest.front(); }

    /// Micro-batches that one step averages over.
    static std::size_t perStep(const std::vector<std::int64_t>& sampleLengths);

private:
    std::int64_t m_sequenceLength;
    std::vector<std::int64_t> m_sampleLengths;
    std::uint64_t m_seed;
    std::vector<Batch> m_cycle;
    std::vector<Batch> m_longest;
};

} // namespace batchpeak::network
