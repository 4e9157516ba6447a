// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_memory.h"

#include <c10/core/CachingDeviceAllocator.h>

#include <string>

namespace batchpeak::network {

/// The memory of an NVIDIA GPU, through libtorch's device-generic interface: no CUDA header is needed.
///
/// Its caching allocator reads a limit only before the device's first use: a smaller one later, or one that
/// it does not obey, is enforced by ballast, memory that is held and in no count of this class; a larger one
/// later is not to be had. The user's own settings of the allocator (PYTORCH_CUDA_ALLOC_CONF) stay in force.
///
/// A GPU without memory of its own computes in the computer's. CUDA calls only unused pages free there, not
/// page cache, and knows no control group, so what the computer has left counts, less the reserve of the CPU.
/// Ballast would take that very memory from the kernel, so a smaller limit later is not enforced there; a
/// step that takes more has spilled().
class AcceleratorDeviceMemory final : public DeviceMemory
{
public:
    /// \throws std::runtime_error  a full sentence, where there is no such device
    explicit AcceleratorDeviceMemory(DeviceId device, bool sharesHostMemory = false);

    DeviceId device() const override;
    std::int64_t totalBytes() const override;
    std::int64_t freeBytes() const override;
    /// A limit above what the device has free, or above the first one of this process, is lowered to that.
    void setLimit(std::int64_t bytes) override;
    std::int64_t limitBytes() const override;
    std::int64_t allocatedBytes() const override;
    std::int64_t reservedBytes() const override;
    std::int64_t peakAllocatedBytes() const override;
    std::int64_t peakReservedBytes() const override;
    std::int64_t allocationRetries() const override;
    std::int64_t outOfMemoryCount() const override;
    std::string userSettings() const override { return m_settings; }
    void resetPeaks() override;
    void emptyCache() override;
    void synchronize() override;

private:
    c10::CachingDeviceAllocator::DeviceStats statistics() const;
    void limitByFraction();
    bool refuses(std::int64_t bytes);

    DeviceId m_device;
    bool m_sharesHostMemory = false;
    c10::DeviceAllocator* m_allocator = nullptr;
    /// The user's, of the allocator.
    std::string m_settings;
    /// What the allocator itself keeps to.
    std::int64_t m_largestLimit = 0;
    std::int64_t m_limit = 0;
    c10::DataPtr m_ballast;
    std::int64_t m_ballastBytes = 0;
    /// Refusals that setLimit provoked to see whether the limit holds.
    std::int64_t m_provokedRefusals = 0;
    std::int64_t m_provokedRetries = 0;
};

} // namespace batchpeak::network
