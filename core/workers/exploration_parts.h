// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "device/memory_kills.h"
#include "device/processor_watch.h"
#include "device_lease.h"
#include "place_session.h"
#include "python_stack.h"
#include "search/strategy.h"
#include "worker_process.h"

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// Dependencies of an exploration; tests inject their own.
struct ExplorationParts
{
    std::function<std::unique_ptr<search::Strategy>(std::string_view, const search::SearchSpace&)>
        makeStrategy = search::makeStrategy;
    std::function<device::LocalDevices()> localDevices = device::localDevices;
    /// Reads a GPU.
    /// \param uuid  UUID of an NVIDIA GPU
    std::function<device::DeviceReadings(const std::string& uuid)> readingsOf = device::readingsOf;
    /// Creates the reader of the CPU for one run; the reader compares each reading with the previous one.
    std::function<device::ProcessorReader()> processorReadings = device::processorReader;
    /// Creates an object that detects, from the start of a worker on, whether the kernel killed the worker
    /// because main memory ran out.
    std::function<device::MemoryKills()> memoryKills = [] { return device::MemoryKills(); };
    /// Examines a Python interpreter; see python_stack.h.
    std::function<PythonStack(const QString& program, const QString& packages)> pythonStackOf =
        [](const QString& program, const QString& packages) {
            return engine::pythonStackOf(program, packages);
        };
    WorkerTimeouts timeouts;
    /// Time from the beginning of a pause until the workers are ended. A user who resumes sooner keeps the
    /// workers.
    std::chrono::milliseconds restAfter = std::chrono::seconds(3);
    /// The places that the options name, if they are open already; an exploration keeps them until its end.
    std::shared_ptr<PlaceSession> session = {};
    /// Lease of the devices: runs that share it use the devices one at a time.
    std::shared_ptr<DeviceLease> lease = std::make_shared<DeviceLease>();
};

} // namespace batchpeak::engine
