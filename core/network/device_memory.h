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
    /// Index among the devices that this process sees: CUDA_VISIBLE_DEVICES renumbers them.
    int index = 0;

    bool operator==(const DeviceId&) const = default;
};

/// The memory of one device as a training step sees it: counted, limited, and exhausted at a repeatable
/// point. All sizes are bytes.
///
/// It only counts and limits. classifyFailure() decides whether a failure was one of memory, and the search
/// decides how much memory a micro-batch size should leave free.
class DeviceMemory
{
public:
    DeviceMemory() = default;
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    virtual ~DeviceMemory() = default;

    virtual DeviceId device() const = 0;

    /// Returns the total memory of the device.
    virtual std::int64_t totalBytes() const = 0;
    /// Returns the memory that this process could still take, beside what it and all other processes hold.
    virtual std::int64_t freeBytes() const = 0;

    /// \param bytes  most bytes that allocations may hold at once; 0 stands for the free memory of the device
    virtual void setLimit(std::int64_t bytes) = 0;
    /// The limit in force, never 0.
    virtual std::int64_t limitBytes() const = 0;

    /// Returns the bytes that tensors hold now, with each allocation rounded up to 512 bytes as in CUDA's
    /// caching allocator.
    virtual std::int64_t allocatedBytes() const = 0;
    /// Returns the bytes taken from the device now. They decide whether the next allocation fits.
    virtual std::int64_t reservedBytes() const = 0;
    /// Highest values since resetPeaks().
    virtual std::int64_t peakAllocatedBytes() const = 0;
    virtual std::int64_t peakReservedBytes() const = 0;
    /// Returns the number of allocations so far that succeeded only after the cache had been flushed, which
    /// costs time.
    virtual std::int64_t allocationRetries() const = 0;
    /// Returns the number of allocations so far that were refused.
    virtual std::int64_t outOfMemoryCount() const = 0;
    /// Returns held and requested bytes together when an allocation was last refused; 0 if the device's
    /// allocator does not report it.
    virtual std::int64_t neededAtLastRefusal() const { return 0; }
    /// Returns the user's own settings of the allocator, in the syntax of its framework; empty if there are
    /// none.
    virtual std::string userSettings() const { return {}; }
    virtual void resetPeaks() = 0;
    /// Whether more was taken since resetPeaks() than the limit allows: the driver then moved data to main
    /// memory instead of refusing the allocation (Windows and WSL do). The step did not fit, although nothing
    /// failed.
    bool spilled() const { return peakReservedBytes() > limitBytes(); }

    /// Returns freed blocks that are kept for reuse to the device.
    virtual void emptyCache() = 0;
    /// Says that the following steps have this micro-batch size. What they teach the allocator should not
    /// change the times of other sizes. emptyCache() forgets what this size has taught it.
    virtual void beginSize(std::int64_t microBatchSize) { static_cast<void>(microBatchSize); }
    /// Returns when all work given to the device is done.
    virtual void synchronize() = 0;
};

/// Opens the memory of a device. For the CPU it installs the counting allocator, so call it before the first
/// tensor exists, and only once in a process.
///
/// \param sharesHostMemory  for a GPU: its memory is the computer's main memory
/// \throws std::runtime_error  if there is no such device; the message is a full sentence
std::unique_ptr<DeviceMemory> openDeviceMemory(DeviceId device, bool sharesHostMemory = false);

} // namespace batchpeak::network
