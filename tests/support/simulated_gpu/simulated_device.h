// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "caching_allocator.h"
#include "device_timeline.h"
#include "driver_memory.h"

#include <string>

namespace batchpeak::simulated_gpu {

/// Simulated GPU of this process, on which the device guard, the allocator and the kernels of libtorch work.
class Device
{
public:
    /// \param index  index among the visible devices
    explicit Device(int index);

    int index() const { return m_index; }
    Timeline& timeline() { return m_timeline; }
    CachingAllocator& allocator() { return m_allocator; }
    DriverMemory::Info memory();

    /// Takes the memory of the CUDA context at the first call, as CUDA does at its first call that needs the
    /// device.
    void use();
    /// \throws c10::AcceleratorError  if a previous kernel has failed: from then on, every call on the device
    ///         fails
    void check() const;
    /// Makes every following call on the device fail with \p code.
    void loseContext(int code) { m_failure = code; }
    /// \param bytes  number of bytes that the kernel reads and writes
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
