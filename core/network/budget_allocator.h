// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heap_thresholds.h"

#include <c10/core/Allocator.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace batchpeak::network {

/// libtorch's allocator for the CPU: counts what tensors hold and refuses what passes a budget, so
/// that a CPU runs out of memory as a GPU does, at a byte that is the same every time.
///
/// Memory comes from malloc and goes back to it at once, as it does in the allocator that it stands in
/// for, so that a step costs the page faults that it costs a trainer in Python: they bend the curve of
/// samples a second, and the size that is fastest without them loses there.
///
/// All sizes are bytes. It is safe to use from several threads.
class BudgetAllocator final : public c10::Allocator
{
public:
    struct Counters
    {
        std::int64_t allocated = 0;
        std::int64_t peakAllocated = 0;
        std::int64_t refusals = 0;
        /// Allocated and asked for together at the last refusal.
        std::int64_t neededAtLastRefusal = 0;
    };

    /// The one instance. The first call makes it libtorch's allocator; it lives until the process
    /// ends, since tensors may.
    static BudgetAllocator& installed();

    /// \param bytes  most that may be allocated together
    void setBudget(std::int64_t bytes);
    std::int64_t budget() const;
    Counters counters() const;
    void resetPeak();
    /// What follows are steps of this size.
    void beginSize(std::int64_t microBatchSize);
    /// Gives what malloc keeps of freed blocks back to the kernel, and lets it keep what it does when the
    /// size is new.
    void emptyCache();

    /// Lets one allocation fail although it fits, so that tests can prove that every single one of a
    /// step is recovered from.
    ///
    /// \param number  counted from 1, the next; 0 lets none fail
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
