// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_memory.h"

namespace batchpeak::network {

class BudgetAllocator;

/// What tensors may hold so that the process stays within so much main memory [bytes]: the matrix
/// library's buffers and the heap's slack come on top. Host memory needed = 1.1 x tensors + 200 MiB
/// (measured on torch 2.11.0 between 105 and 2,677 MiB of tensors).
std::int64_t tensorBytesWithin(std::int64_t hostBytes);

/// Main memory, counted and limited by BudgetAllocator.
///
/// Reserved equals allocated here: nothing is kept for reuse, so what decides the fit is exact. A step
/// whose peak is p fits into a limit of p bytes and not into p - 1. For the same reason there are no
/// allocation retries.
class CpuDeviceMemory final : public DeviceMemory
{
public:
    /// Installs the allocator: before the first tensor.
    CpuDeviceMemory();

    DeviceId device() const override;
    std::int64_t totalBytes() const override;
    std::int64_t freeBytes() const override;
    /// A limit above what the computer has free is lowered to that: the kernel would end the process
    /// instead of refusing an allocation.
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
