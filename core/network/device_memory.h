// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace batchpeak::network {

enum class DeviceKind { Cpu, Cuda };

/// The device that a worker process runs its trials on.
struct DeviceId
{
    DeviceKind kind = DeviceKind::Cpu;
    /// Among the devices that this process sees: CUDA_VISIBLE_DEVICES numbers them anew.
    int index = 0;

    bool operator==(const DeviceId&) const = default;
};

/// The memory of one device as a training step sees it: counted, limited, and exhausted at a
/// repeatable point. All sizes are bytes.
///
/// It counts and limits; whether a failure was one of memory is for classifyFailure, and how much a
/// size should leave free for the search.
class DeviceMemory
{
public:
    DeviceMemory() = default;
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    virtual ~DeviceMemory() = default;

    virtual DeviceId device() const = 0;

    /// What the device has.
    virtual std::int64_t totalBytes() const = 0;
    /// What this process could still take beside what it and all others hold.
    virtual std::int64_t freeBytes() const = 0;

    /// \param bytes  most that allocations may hold together; 0 stands for what the device has free
    virtual void setLimit(std::int64_t bytes) = 0;
    /// The limit in force, never 0.
    virtual std::int64_t limitBytes() const = 0;

    /// Held by tensors now, each allocation rounded up to 512 bytes as CUDA's caching allocator does.
    virtual std::int64_t allocatedBytes() const = 0;
    /// Taken from the device now: what decides whether the next allocation fits.
    virtual std::int64_t reservedBytes() const = 0;
    /// Highest values since resetPeaks.
    virtual std::int64_t peakAllocatedBytes() const = 0;
    virtual std::int64_t peakReservedBytes() const = 0;
    /// Times, ever, that an allocation succeeded only after the cache had been flushed: time spoilt.
    virtual std::int64_t allocationRetries() const = 0;
    /// Allocations, ever, that were refused.
    virtual std::int64_t outOfMemoryCount() const = 0;
    /// What was held and asked for together when an allocation was last refused; 0 where the device's
    /// allocator does not say.
    virtual std::int64_t neededAtLastRefusal() const { return 0; }
    /// What its user has set of the allocator, in the words of its framework; empty for nothing.
    virtual std::string userSettings() const { return {}; }
    virtual void resetPeaks() = 0;
    /// More was taken since resetPeaks than there was: the driver has moved data to main memory
    /// instead of refusing (Windows and WSL do). The step did not fit, although nothing failed.
    bool spilled() const { return peakReservedBytes() > limitBytes(); }

    /// Gives freed blocks that are kept for reuse back to the device.
    virtual void emptyCache() = 0;
    /// What follows are steps of this size, whose times other sizes should not change by what they have
    /// taught the allocator. emptyCache() forgets what this one has.
    virtual void beginSize(std::int64_t microBatchSize) { static_cast<void>(microBatchSize); }
    /// Returns when all work given to the device is done.
    virtual void synchronize() = 0;
};

/// The memory of a device. For the CPU it installs the counting allocator, so call it before the first
/// tensor exists, and once in a process.
///
/// \param sharesHostMemory  of a GPU: its memory is the computer's main memory
/// \throws std::runtime_error  a full sentence, where there is no such device
std::unique_ptr<DeviceMemory> openDeviceMemory(DeviceId device, bool sharesHostMemory = false);

} // namespace batchpeak::network
