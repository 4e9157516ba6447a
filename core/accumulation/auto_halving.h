// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchpeak::accumulation {

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

} // namespace batchpeak::accumulation
