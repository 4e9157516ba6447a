// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

namespace batchpeak::accumulation {

/// A batch spread evenly over micro-batches: ofSize of them have size samples, ofOneMore have size + 1.
struct EvenSpread
{
    std::int64_t size = 1;
    std::int64_t ofSize = 1;
    std::int64_t ofOneMore = 0;

    /// Number of micro-batches in one optimizer step.
    std::int64_t microBatches() const { return ofSize + ofOneMore; }
    /// Samples in the largest micro-batch.
    std::int64_t largest() const { return ofOneMore > 0 ? size + 1 : size; }

    bool operator==(const EvenSpread&) const = default;
};

/// Spreads \p batch over as few micro-batches of at most \p microBatchSize samples as possible; both
/// arguments are at least 1. No two micro-batches differ by more than one sample, as Cerebras spreads a batch
/// that is not a multiple.
EvenSpread evenSpread(std::int64_t batch, std::int64_t microBatchSize);

/// Successive samples of a batch that go through the network together.
struct Chunk
{
    std::int64_t first = 0;
    std::int64_t samples = 0;
    /// Weight of the chunk's mean loss in that of the batch: samples / samples of the batch.
    double weight = 1.0;

    bool operator==(const Chunk&) const = default;
};

/// Calls \p each for one micro-batch after the other, in the order of their samples: the loop of every step
/// with gradient accumulation. It yields what zero's iter_batches yields (torchtune issue 2191), but spreads
/// the samples evenly instead of leaving the remainder to the last micro-batch, so that none needs more
/// memory than necessary.
///
/// This function decides where a batch is split, and the weight of each part. It does not know what the
/// caller does with a part. An exception from \p each leaves the loop at once.
///
/// \param batch  number of samples, at least 1
/// \param microBatchSize  largest number of samples in one chunk, at least 1
void forEachChunk(std::int64_t batch, std::int64_t microBatchSize,
                  const std::function<void(const Chunk&)>& each);

} // namespace batchpeak::accumulation
