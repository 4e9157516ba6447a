// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heap_thresholds.h"

#include <c10/core/Allocator.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace batchpeak::network {

/// libtorch's allocator for the CPU. It counts the bytes that tensors hold and refuses an allocation that
/// exceeds a budget, so that a CPU runs out of memory as a GPU does, and at the same byte every time.
///
/// Memory comes from malloc and is freed at once, as in the allocator that this one replaces, so that a step
/// has the same page faults as in a training run in Python. Page faults change the curve of samples per
/// second: the micro-batch size that is fastest without them is not the fastest with them.
///
/// All sizes are bytes. The class is thread-safe.
class BudgetAllocator final : public c10::Allocator
{
public:
    struct Counters
    {
        std::int64_t allocated = 0;
        std::int64_t peakAllocated = 0;
        std::int64_t refusals = 0;
        /// Allocated and requested bytes together at the last refusal.
        std::int64_t neededAtLastRefusal = 0;
    };

    /// Returns the only instance. The first call makes it libtorch's allocator; it lives until the process
    /// ends, because tensors may.
    static BudgetAllocator& installed();

    /// \param bytes  most bytes that may be allocated at once
    void setBudget(std::int64_t bytes);
    std::int64_t budget() const;
    Counters counters() const;
    void resetPeak();
    /// Says that the following steps have this micro-batch size.
    void beginSize(std::int64_t microBatchSize);
    /// Returns the memory of freed blocks that malloc keeps to the kernel, and resets malloc's thresholds to
    /// those of a new micro-batch size.
    void emptyCache();

    /// Makes one allocation fail although it fits, so that tests can prove that a step recovers from the
    /// failure of any of its allocations.
    ///
    /// \param number  number of the allocation, where 1 is the next one; 0 makes none fail
    void failAllocation(std::int64_t number);

    c10::DataPtr allocate(std::size_t bytes) override;
    c10::DeleterFnPtr raw_deleter() const override;
    void copy_data(void* destination, const void* source, std::size_t bytes) const override;

private:
    BudgetAllocator() = default;
    static void deleteData(void* data);
    void* take(std::size_t rounded);
    void giveBack(void* data);
    [[noreturn]] void refuse(std::size_t bytes);

    mutable std::mutex m_mutex;
    Counters m_counters;
    HeapThresholds m_thresholds;
    std::int64_t m_budget = INT64_MAX;
    std::int64_t m_failIn = 0;
};

} // namespace batchpeak::network
