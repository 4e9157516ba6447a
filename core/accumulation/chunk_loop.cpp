// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chunk_loop.h"

#include "even_spread.h"

namespace batchpeak::accumulation {

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
