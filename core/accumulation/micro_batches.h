// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

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

/// Some successive samples of a batch, which go through the network together.
struct Chunk
{
    std::int64_t first = 0;
    std::int64_t samples = 0;
    /// samples / those of the batch: what the chunk's mean loss counts in that of the batch.
    double weight = 1.0;

    bool operator==(const Chunk&) const = default;
};

/// The loop under every accumulated step: \p each is called for one micro-batch after the other, in the order
/// of their samples, as zero's iter_batches gives them (torchtune issue 2191), but spread evenly: the last
/// one is not left with what remains, so that none needs more memory than it must.
///
/// It decides where a batch is cut and what each part weighs. It does not know what is done with one, and an
/// exception from \p each leaves it at once.
///
/// \param batch  samples, at least 1
/// \param microBatchSize  most in one chunk, at least 1
void forEachChunk(std::int64_t batch, std::int64_t microBatchSize,
                  const std::function<void(const Chunk&)>& each);

} // namespace batchpeak::accumulation
