// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_memory.h"

namespace batchpeak::network {

class BudgetAllocator;

/// Returns the bytes that tensors may hold so that the process stays within \p hostBytes of main memory. The
/// buffers of the matrix library and the heap's slack come on top: host memory needed = 1.1 x tensors + 200
/// MiB (measured on torch 2.11.0 between 105 and 2,677 MiB of tensors).
std::int64_t tensorBytesWithin(std::int64_t hostBytes);

/// Main memory, counted and limited by BudgetAllocator.
///
/// Reserved bytes equal allocated bytes here: nothing is kept for reuse, so whether a step fits is exact. A
/// step whose peak is p fits into a limit of p bytes and not into p - 1. For the same reason there are no
/// allocation retries.
class CpuDeviceMemory final : public DeviceMemory
{
public:
    /// Installs the allocator. Call it before the first tensor exists.
    CpuDeviceMemory();

    DeviceId device() const override;
    std::int64_t totalBytes() const override;
    std::int64_t freeBytes() const override;
    /// Sets the limit. A limit above the free memory of the computer is lowered to that: otherwise the kernel
    /// would end the process instead of refusing an allocation.
    void setLimit(std::int64_t bytes) override;
    std::int64_t limitBytes() const override;
    std::int64_t allocatedBytes() const override;
    std::int64_t reservedBytes() const override;
    std::int64_t peakAllocatedBytes() const override;
    std::int64_t peakReservedBytes() const override;
    std::int64_t allocationRetries() const override;
    std::int64_t outOfMemoryCount() const override;
    std::int64_t neededAtLastRefusal() const override;
    void resetPeaks() override;
    void emptyCache() override;
    void beginSize(std::int64_t microBatchSize) override;
    void synchronize() override;

private:
    BudgetAllocator& m_allocator;
};

} // namespace batchpeak::network
