// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchpeak::accumulation {

/// Composer's device_train_microbatch_size: auto, as a rule on what attempts at steps have met: start with
/// the whole batch, halve when memory runs out or when the allocator had to flush its cache in two successive
/// steps, and never grow (Trainer._train_batch, _adjust_device_train_microbatch_size of Composer 0.28).
///
/// It decides the size of the next attempt. Running one, and leaving no trace of a failed one, is for others.
/// Training and evaluation each have one of their own, so that neither shrinks the other.
class AutoHalving
{
public:
    enum class Verdict {
        /// The step is done, and the size stays.
        Continue,
        /// The step is done; from the next one on size() is smaller, since the allocator thrashes.
        ContinueSmaller,
        /// The step is not done: the same batch again, at the smaller size().
        RetrySmaller,
        /// The step is not done, and there is nothing smaller than 1.
        NothingFits
    };

    /// \param start  samples; Composer's is the per-device batch
    /// \param thrashingInARow  of the steps before, where a training goes on
    explicit AutoHalving(std::int64_t start, int thrashingInARow = 0)
        : m_size(start), m_thrashingInARow(thrashingInARow)
    {}

    std::int64_t size() const { return m_size; }
    /// Steps up to now, one behind the other, in which the allocator had to flush its cache.
    int thrashingInARow() const { return m_thrashingInARow; }

    /// An attempt of size() that ran out of memory, in whatever part of the step.
    Verdict recordOutOfMemory();
    /// A step that was done.
    /// \param allocationRetries  flushes of the allocator's cache in it
    Verdict recordStep(std::int64_t allocationRetries);

private:
    void halve();

    std::int64_t m_size;
    int m_thrashingInARow;
};

} // namespace batchpeak::accumulation
