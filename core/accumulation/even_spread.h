// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchpeak::accumulation {

/// A batch spread evenly over micro-batches: some have one sample more than the others.
struct EvenSpread
{
    std::int64_t size = 1;
    std::int64_t ofSize = 1;
    std::int64_t ofOneMore = 0;

    /// Of one optimizer step.
    std::int64_t microBatches() const { return ofSize + ofOneMore; }
    /// Samples in the largest micro-batch.
    std::int64_t largest() const { return ofOneMore > 0 ? size + 1 : size; }

    bool operator==(const EvenSpread&) const = default;
};

/// \p batch over as few micro-batches of at most \p microBatchSize as it takes; both at least 1. What
/// Cerebras does with a batch that is no multiple: no two differ by more than one sample.
EvenSpread evenSpread(std::int64_t batch, std::int64_t microBatchSize);

} // namespace batchpeak::accumulation
