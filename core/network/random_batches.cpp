// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_batches.h"

#include <ATen/ops/randperm.h>

#include <algorithm>
#include <random>
#include <utility>

namespace batchpeak::network {

namespace {

// A compromise: a trial takes so many times as long, and where one sample makes a micro-batch, the mean of so
// many lengths is off by their spread over the root of this. All steps of all trials of a size repeat the
// same lengths, so that this is no noise.
constexpr std::size_t batchesInCycle = 8;

void shuffleSamples(Batch& batch)
{
    const at::Tensor order =
        at::randperm(batch.targets.size(0), at::TensorOptions(batch.targets.device()).dtype(at::kLong));
    for (at::Tensor& input : batch.inputs)
        input.copy_(input.index_select(0, order));
    batch.targets.copy_(batch.targets.index_select(0, order));
}

} // namespace

std::size_t RandomBatches::perStep(const std::vector<std::int64_t>& sampleLengths)
{
    return sampleLengths.empty() ? 1 : batchesInCycle;
}

RandomBatches::RandomBatches(std::int64_t sequenceLength, std::vector<std::int64_t> sampleLengths,
                             std::uint64_t seed)
    : m_sequenceLength(sequenceLength), m_sampleLengths(std::move(sampleLengths)), m_seed(seed)
{}

void RandomBatches::make(const Network& network, std::int64_t microBatchSize)
{
    drop();
    if (m_sampleLengths.empty()) {
        m_cycle.push_back(network.makeBatch(microBatchSize, m_sequenceLength));
        return;
    }
    m_longest.push_back(network.makeBatch(microBatchSize, m_sequenceLength));
    std::mt19937_64 random(m_seed);
    std::uniform_int_distribution<std::size_t> any(0, m_sampleLengths.size() - 1);
    for (std::size_t i = 0; i < batchesInCycle; ++i) {
        std::int64_t length = 1;
        for (std::int64_t sample = 0; sample < microBatchSize; ++sample)
            length = std::max(length, m_sampleLengths[any(random)]);
        m_cycle.push_back(network.makeBatch(microBatchSize, std::min(length, m_sequenceLength)));
    }
}

void RandomBatches::drop()
{
    m_cycle.clear();
    m_longest.clear();
}

void RandomBatches::shuffle()
{
    for (Batch& batch : m_cycle)
        shuffleSamples(batch);
}

} // namespace batchpeak::network
