// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "even_spread.h"

namespace batchpeak::accumulation {

EvenSpread evenSpread(std::int64_t batch, std::int64_t microBatchSize)
{
    // For positive numbers; does not overflow.
    const std::int64_t microBatches = (batch - 1) / microBatchSize + 1;
    const std::int64_t size = batch / microBatches;
    const std::int64_t ofOneMore = batch - microBatches * size;
    return {.size = size, .ofSize = microBatches - ofOneMore, .ofOneMore = ofOneMore};
}

} // namespace batchpeak::accumulation
