// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cpu_device_memory.h"

#include "budget_allocator.h"
#include "device/host_memory.h"

#include <algorithm>

namespace batchpeak::network {

std::int64_t tensorBytesWithin(std::int64_t hostBytes)
{
    constexpr std::int64_t besideTensors = std::int64_t{200} << 20;
    return std::max<std::int64_t>(0, hostBytes - besideTensors) / 11 * 10;
}

CpuDeviceMemory::CpuDeviceMemory() : m_allocator(BudgetAllocator::installed())
{
    setLimit(0);
}

DeviceId CpuDeviceMemory::device() const
{
    return {.kind = DeviceKind::Cpu};
}

std::int64_t CpuDeviceMemory::totalBytes() const
{
    return device::hostMemory().total;
}

std::int64_t CpuDeviceMemory::freeBytes() const
{
    return tensorBytesWithin(device::hostMemory().available);
}

void CpuDeviceMemory::setLimit(std::int64_t bytes)
{
    const std::int64_t possible = std::max<std::int64_t>(1, allocatedBytes() + freeBytes());
    m_allocator.setBudget(bytes > 0 ? std::min(bytes, possible) : possible);
}

std::int64_t CpuDeviceMemory::limitBytes() const
{
    return m_allocator.budget();
}

std::int64_t CpuDeviceMemory::allocatedBytes() const
{
    return m_allocator.counters().allocated;
}

std::int64_t CpuDeviceMemory::reservedBytes() const
{
    return allocatedBytes();
}

std::int64_t CpuDeviceMemory::peakAllocatedBytes() const
{
    return m_allocator.counters().peakAllocated;
}

std::int64_t CpuDeviceMemory::peakReservedBytes() const
{
    return peakAllocatedBytes();
}

std::int64_t CpuDeviceMemory::allocationRetries() const
{
    return 0;
}

std::int64_t CpuDeviceMemory::outOfMemoryCount() const
{
    return m_allocator.counters().refusals;
}

std::int64_t CpuDeviceMemory::neededAtLastRefusal() const
{
    return m_allocator.counters().neededAtLastRefusal;
}

void CpuDeviceMemory::resetPeaks()
{
    m_allocator.resetPeak();
}

void CpuDeviceMemory::emptyCache()
{
    m_allocator.emptyCache();
}

void CpuDeviceMemory::beginSize(std::int64_t microBatchSize)
{
    m_allocator.beginSize(microBatchSize);
}

void CpuDeviceMemory::synchronize() {}

} // namespace batchpeak::network
