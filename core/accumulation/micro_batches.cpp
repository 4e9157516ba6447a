// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro_batches.h"

#include <algorithm>

namespace batchpeak::accumulation {

namespace {

// Number of successive batches with retries that Composer treats as thrashing.
constexpr int stepsOfThrashing = 2;

} // namespace

EvenSpread evenSpread(std::int64_t batch, std::int64_t microBatchSize)
{
    // Rounds up for positive numbers, and does not overflow.
    const std::int64_t microBatches = (batch - 1) / microBatchSize + 1;
    const std::int64_t size = batch / microBatches;
    const std::int64_t ofOneMore = batch - microBatches * size;
    return {.size = size, .ofSize = microBatches - ofOneMore, .ofOneMore = ofOneMore};
}

void forEachChunk(std::int64_t batch, std::int64_t microBatchSize,
                  const std::function<void(const Chunk&)>& each)
{
    const EvenSpread spread = evenSpread(batch, microBatchSize);
    std::int64_t first = 0;
    for (std::int64_t i = 0; i < spread.microBatches(); ++i) {
        const std::int64_t samples = i < spread.ofOneMore ? spread.size + 1 : spread.size;
        each({.first = first,
              .samples = samples,
              .weight = static_cast<double>(samples) / static_cast<double>(batch)});
        first += samples;
    }
}

AutoHalving::Verdict AutoHalving::recordOutOfMemory()
{
    if (m_size <= 1)
        return Verdict::NothingFits;
    halve();
    return Verdict::RetrySmaller;
}

AutoHalving::Verdict AutoHalving::recordStep(std::int64_t allocationRetries)
{
    m_thrashingInARow = allocationRetries > 0 ? m_thrashingInARow + 1 : 0;
    if (m_thrashingInARow < stepsOfThrashing || m_size <= 1)
        return Verdict::Continue;
    halve();
    return Verdict::ContinueSmaller;
}

void AutoHalving::halve()
{
    m_size = std::max<std::int64_t>(m_size / 2, 1);
    m_thrashingInARow = 0;
}

GrowthDecision decideGrowth(std::int64_t current, std::int64_t increment, std::int64_t maximum)
{
    using Kind = GrowthDecision::Kind;
    if (increment == 0)
        return {.kind = Kind::Stays, .batchSize = current};
    // Written so that no sum overflows, whatever the batch_increase_function returns.
    if (increment > maximum - current)
        return {.kind = Kind::PassesMaximum, .batchSize = current};
    if (increment < 1 - current)
        return {.kind = Kind::LeavesNothing, .batchSize = current};
    return {.kind = Kind::Changes, .batchSize = current + increment};
}

} // namespace batchpeak::accumulation
