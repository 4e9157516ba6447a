// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_memory.h"

#include <c10/core/CachingDeviceAllocator.h>

#include <string>

namespace batchpeak::network {

/// The memory of an NVIDIA GPU, through libtorch's device-generic interface, so that no CUDA header is
/// needed.
///
/// The caching allocator reads a limit only before the first use of the device. A smaller limit that is set
/// later, or a limit that the allocator does not obey, is enforced by ballast: memory that is held and that
/// no count of this class includes. A limit cannot be raised later. The user's own settings of the allocator
/// (PYTORCH_CUDA_ALLOC_CONF) stay in force.
///
/// A GPU without memory of its own computes in the computer's main memory. There CUDA reports only unused
/// pages as free, without the page cache, and ignores cgroup limits, so freeBytes() is what the computer has
/// available, less the same reserve as on the CPU. Ballast would take that very memory from the kernel, so a
/// smaller limit is not enforced there later; a step that takes more has spilled().
class AcceleratorDeviceMemory final : public DeviceMemory
{
public:
    /// \throws std::runtime_error  if there is no such device; the message is a full sentence
    explicit AcceleratorDeviceMemory(DeviceId device, bool sharesHostMemory = false);

    DeviceId device() const override;
    std::int64_t totalBytes() const override;
    std::int64_t freeBytes() const override;
    /// Sets the limit. A limit above the free memory of the device, or above the first limit of this process,
    /// is lowered to that.
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
    /// The user's own settings of the allocator (PYTORCH_CUDA_ALLOC_CONF).
    std::string m_settings;
    /// Largest limit that the allocator itself enforces.
    std::int64_t m_largestLimit = 0;
    std::int64_t m_limit = 0;
    c10::DataPtr m_ballast;
    std::int64_t m_ballastBytes = 0;
    /// Refusals that setLimit() provoked to check whether the limit holds.
    std::int64_t m_provokedRefusals = 0;
    std::int64_t m_provokedRetries = 0;
};

} // namespace batchpeak::network
