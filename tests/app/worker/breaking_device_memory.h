// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/cpu_device_memory.h"

#include <filesystem>
#include <string>

namespace batchpeak::test {

/// The CPU's memory, which breaks down once in the middle of a trial: when the host waits for the device,
/// since a GPU reports its errors then.
///
/// Names of breakdowns: illegal-access, index-out-of-range, cublas, nccl (only a fresh process helps),
/// too-many-blocks (this size is not supported), host-memory, lost-memory (out of memory, and 512 bytes stay
/// allocated).
class BreakingDeviceMemory final : public network::DeviceMemory
{
public:
    /// \param onceFile  the memory breaks down only while this file does not exist, and creates it then;
    ///        empty: always
    BreakingDeviceMemory(std::string breakdown, std::filesystem::path onceFile);

    network::DeviceId device() const override { return m_memory.device(); }
    std::int64_t totalBytes() const override { return m_memory.totalBytes(); }
    std::int64_t freeBytes() const override { return m_memory.freeBytes(); }
    void setLimit(std::int64_t bytes) override { m_memory.setLimit(bytes); }
    std::int64_t limitBytes() const override { return m_memory.limitBytes(); }
    std::int64_t allocatedBytes() const override { return m_memory.allocatedBytes() + m_lostBytes; }
    std::int64_t reservedBytes() const override { return m_memory.reservedBytes(); }
    std::int64_t peakAllocatedBytes() const override { return m_memory.peakAllocatedBytes(); }
    std::int64_t peakReservedBytes() const override { return m_memory.peakReservedBytes(); }
    std::int64_t allocationRetries() const override { return m_memory.allocationRetries(); }
    std::int64_t outOfMemoryCount() const override { return m_memory.outOfMemoryCount(); }
    /// Every trial begins with this call.
    void resetPeaks() override;
    void emptyCache() override { m_memory.emptyCache(); }
    void synchronize() override;

private:
    void breakDown();

    network::CpuDeviceMemory m_memory;
    std::string m_breakdown;
    std::filesystem::path m_onceFile;
    std::int64_t m_lostBytes = 0;
    bool m_isDue = false;
    bool m_isOver = false;
};

} // namespace batchpeak::test
