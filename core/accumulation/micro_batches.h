// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
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

/// The rule of Composer's device_train_microbatch_size: auto. It starts with the whole batch, halves the size
/// when memory runs out or when the allocator had to flush its cache in two successive steps, and never grows
/// it (Trainer._train_batch, _adjust_device_train_microbatch_size of Composer 0.28).
///
/// This class decides the size of the next attempt. The caller runs the attempt, and undoes a failed one.
/// Training and evaluation each have an instance of their own, so that neither shrinks the other.
class AutoHalving
{
public:
    enum class Verdict {
        /// The step is done, and the size stays.
        Continue,
        /// The step is done; size() is smaller from the next one on, since the allocator thrashes.
        ContinueSmaller,
        /// The step is not done; run the same batch again with the smaller size().
        RetrySmaller,
        /// The step is not done, and no size below 1 exists.
        NothingFits
    };

    /// \param start  first size in samples; Composer starts with the per-device batch
    /// \param thrashingInARow  thrashingInARow() before an interruption, if a training is resumed
    explicit AutoHalving(std::int64_t start, int thrashingInARow = 0)
        : m_size(start), m_thrashingInARow(thrashingInARow)
    {}

    std::int64_t size() const { return m_size; }
    /// Number of the latest successive steps in which the allocator had to flush its cache.
    int thrashingInARow() const { return m_thrashingInARow; }

    /// Records an attempt with size() that ran out of memory in any part of the step.
    Verdict recordOutOfMemory();
    /// Records a step that was done.
    /// \param allocationRetries  number of flushes of the allocator's cache in the step
    Verdict recordStep(std::int64_t allocationRetries);

private:
    void halve();

    std::int64_t m_size;
    int m_thrashingInARow;
};

// The rules below are those of torchtune's RFC (PR 2199) for a batch size that grows up to a measured
// maximum.

/// Decision on an increment that a batch_increase_function returned.
struct GrowthDecision
{
    enum class Kind {
        /// The increment is 0.
        Stays,
        /// The increment is applied; a negative one makes the batch size smaller.
        Changes,
        /// The increment would exceed the maximum: it is ignored as a whole, not reduced to what would fit.
        PassesMaximum,
        /// The increment would leave less than one sample: it is ignored.
        LeavesNothing
    };
    Kind kind = Kind::Stays;
    /// Batch size to train with from now on.
    std::int64_t batchSize = 1;

    bool operator==(const GrowthDecision&) const = default;
};

/// Applies an increment that is not 0 if \p current + \p increment is at least 1 and at most \p maximum.
GrowthDecision decideGrowth(std::int64_t current, std::int64_t increment, std::int64_t maximum);

/// Returns the largest power of two that is at most \p number, which is at least 1. The RFC rounds a maximum
/// in this way.
inline std::int64_t powerOfTwoAtMost(std::int64_t number)
{
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(number)));
}

} // namespace batchpeak::accumulation
