// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/host_memory.h"
#include "device/local_device.h"
#include "device_lease.h"
#include "search/strategy.h"
#include "worker_process.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// What an exploration leans on; tests put their own in place.
struct ExplorationParts
{
    std::function<std::unique_ptr<search::Strategy>(std::string_view, const search::SearchSpace&)>
        makeStrategy = search::makeStrategy;
    std::function<device::LocalDevices()> localDevices = device::localDevices;
    /// \param uuid  of an NVIDIA GPU
    std::function<device::DeviceReadings(const std::string& uuid)> readingsOf = device::readingsOf;
    /// Processes that the kernel has ended for want of main memory.
    std::function<std::int64_t()> memoryKills = [] { return device::memoryKills(); };
    WorkerTimeouts timeouts;
    /// Runs that get the same one use the devices one at a time.
    std::shared_ptr<DeviceLease> lease = std::make_shared<DeviceLease>();
};

} // namespace batchpeak::engine
