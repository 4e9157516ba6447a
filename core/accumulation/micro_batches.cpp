// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro_batches.h"

namespace batchpeak::accumulation {

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

} // namespace batchpeak::accumulation
