// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "networks/network.h"

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// The micro-batches that timed steps run on: random, and made before the clock starts. For a GPU they lie in
/// pinned memory of the host, from where a step copies them as trainers do; for the CPU there is no copy.
///
/// Without a distribution of sample lengths every sample has the maximum length, and one micro-batch serves
/// all steps. With one, a micro-batch is padded to the longest of its samples and has an attention mask if it
/// pads, and a step is the mean over a cycle of several micro-batches. The memory is then still that of the
/// longest samples, which training meets sooner or later.
class RandomBatches
{
public:
    /// \param sequenceLength  length of the longest sample; longer ones are cut
    /// \param sampleLengths  lengths as they occur, each equally probable; if empty, all samples have the
    ///        maximum length
    RandomBatches(std::int64_t sequenceLength, std::vector<std::int64_t> sampleLengths, std::uint64_t seed);

    void make(const Network& network, std::int64_t microBatchSize);
    void drop();
    /// Puts the samples of each micro-batch into another order, in place.
    void shuffle();

    /// The micro-batches that one step averages over; never empty after make().
    const std::vector<Batch>& cycle() const { return m_cycle; }
    /// The micro-batch to be run once, untimed, before the steps of a cycle, for the memory that it takes;
    /// null if the cycle takes as much.
    const Batch* longest() const { return m_longest.empty() ? nullptr : &m_longest.front(); }

    /// Number of micro-batches that one step averages over.
    static std::size_t perStep(const std::vector<std::int64_t>& sampleLengths);

private:
    std::int64_t m_sequenceLength;
    std::vector<std::int64_t> m_sampleLengths;
    std::uint64_t m_seed;
    std::vector<Batch> m_cycle;
    std::vector<Batch> m_longest;
};

} // namespace batchpeak::network
