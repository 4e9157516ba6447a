// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_batches.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <span>
#include <utility>

namespace batchpeak::network {

namespace {

// A compromise: a trial takes this many times as long, and if a micro-batch has one sample, the mean over
// this many lengths is off by their spread divided by the square root of this number. All steps of all trials
// of a size repeat the same lengths, so this is no noise.
constexpr std::size_t batchesInCycle = 8;

/// Moves the sample that \p order names to each place. It works in place: after a copy of a large batch the
/// kernel would allocate its pages again before each chain of steps, which looks like a computer that is
/// short of memory.
void reorder(const at::Tensor& samples, const at::Tensor& order)
{
    // Samples are contiguous, one after the other, also in channels_last format.
    TORCH_CHECK(samples.is_cpu() && samples.stride(0) * samples.size(0) == samples.numel());
    const std::size_t bytes = samples.nbytes() / static_cast<std::size_t>(samples.size(0));
    auto* const data = static_cast<std::byte*>(samples.mutable_data_ptr());
    const auto at = [&](std::int64_t place) { return data + static_cast<std::size_t>(place) * bytes; };
    const std::span from(order.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(order.numel()));
    std::vector<std::byte> kept(bytes);
    std::vector<bool> isDone(from.size());
    for (std::size_t first = 0; first < from.size(); ++first) {
        if (isDone[first])
            continue;
        std::memcpy(kept.data(), at(static_cast<std::int64_t>(first)), bytes);
        std::size_t place = first;
        for (; from[place] != static_cast<std::int64_t>(first);
             place = static_cast<std::size_t>(from[place])) {
            std::memcpy(at(static_cast<std::int64_t>(place)), at(from[place]), bytes);
            isDone[place] = true;
        }
        std::memcpy(at(static_cast<std::int64_t>(place)), kept.data(), bytes);
        isDone[place] = true;
    }
}

void shuffleSamples(Batch& batch)
{
    const at::Tensor order = at::randperm(batch.targets.size(0), at::TensorOptions(at::kLong));
    for (const at::Tensor& input : batch.inputs)
        reorder(input, order);
    reorder(batch.targets, order);
    if (batch.attentionMask.defined())
        reorder(batch.attentionMask, order);
}

// If the host cannot pin more memory, the only effect is that the copy waits.
at::Tensor pinned(const at::Tensor& onDevice)
{
    const at::TensorOptions host = onDevice.options().device(at::kCPU);
    at::Tensor copy;
    try {
        copy = at::empty(onDevice.sizes(), host.pinned_memory(true), onDevice.suggest_memory_format());
    } catch (const c10::Error&) {
        copy = at::empty(onDevice.sizes(), host, onDevice.suggest_memory_format());
    }
    return copy.copy_(onDevice);
}

/// \param lengths  lengths of the samples, of which the batch has the longest
Batch padded(const Network& network, const std::vector<std::int64_t>& lengths)
{
    const std::int64_t longest = std::ranges::max(lengths);
    Batch batch = network.makeBatch(static_cast<std::int64_t>(lengths.size()), longest);
    if (network.takesAttentionMask() && std::ranges::min(lengths) < longest) {
        const at::Tensor places = at::arange(longest, batch.targets.options());
        const at::Tensor ends = at::tensor(lengths, at::kLong).to(batch.targets.device());
        batch.attentionMask = places.lt(ends.unsqueeze(1));
    }
    return batch;
}

Batch forCopies(Batch batch)
{
    if (!batch.targets.is_cuda())
        return batch;
    for (at::Tensor& input : batch.inputs)
        input = pinned(input);
    batch.targets = pinned(batch.targets);
    if (batch.attentionMask.defined())
        batch.attentionMask = pinned(batch.attentionMask);
    return batch;
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
        m_cycle.push_back(forCopies(network.makeBatch(microBatchSize, m_sequenceLength)));
        return;
    }
    std::mt19937_64 random(m_seed);
    std::uniform_int_distribution<std::size_t> any(0, m_sampleLengths.size() - 1);
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(microBatchSize));
    for (std::size_t i = 0; i < batchesInCycle; ++i) {
        for (std::int64_t& length : lengths)
            length = std::min(m_sampleLengths[any(random)], m_sequenceLength);
        m_cycle.push_back(forCopies(padded(network, lengths)));
    }
    lengths.front() = m_sequenceLength;
    m_longest.push_back(forCopies(padded(network, lengths)));
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
