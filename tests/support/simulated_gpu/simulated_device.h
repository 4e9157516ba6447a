// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "caching_allocator.h"
#include "device_timeline.h"
#include "driver_memory.h"

#include <string>

namespace batchpeak::simulated_gpu {

/// One simulated GPU of this process: what the guard, the allocator and the kernels of libtorch meet.
class Device
{
public:
    /// \param index  among those that this process sees
    explicit Device(int index);

    int index() const { return m_index; }
    Timeline& timeline() { return m_timeline; }
    CachingAllocator& allocator() { return m_allocator; }
    DriverMemory::Info memory();

    /// Takes the context's memory at the first call. CUDA does so at its first call that needs the device.
    void use();
    /// \throws c10::AcceleratorError  if an earlier kernel has failed: everything on the device fails from
    ///         then on
    void check() const;
    /// Makes everything fail with that code from now on.
    void loseContext(int code) { m_failure = code; }
    /// \param bytes  bytes read and written
    void launch(double bytes, double flops);

private:
    int m_index;
    Timeline m_timeline;
    DriverMemory m_driver;
    CachingAllocator m_allocator;
    bool m_used = false;
    std::int64_t m_kernels = 0;
    int m_failure = 0;
};

/// Number of visible devices, as CUDA_VISIBLE_DEVICES selects them.
int visibleDevices();
Device& device(int index);
/// Index of the calling thread's current device.
int currentDevice();
void setCurrentDevice(int index);

/// Returns the UUID of a device, the same as in fake_nvml.cpp.
std::string uuidOf(int physicalIndex);

} // namespace batchpeak::simulated_gpu
