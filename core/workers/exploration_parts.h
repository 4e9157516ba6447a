// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "device/memory_kills.h"
#include "device/processor_watch.h"
#include "device_lease.h"
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

/// What an exploration leans on; tests put their own in place.
struct ExplorationParts
{
    std::function<std::unique_ptr<search::Strategy>(std::string_view, const search::SearchSpace&)>
        makeStrategy = search::makeStrategy;
    std::function<device::LocalDevices()> localDevices = device::localDevices;
    /// \param uuid  of an NVIDIA GPU
    std::function<device::DeviceReadings(const std::string& uuid)> readingsOf = device::readingsOf;
    /// Makes what reads the CPU, for one run: it compares each reading with the one before.
    std::function<device::ProcessorReader()> processorReadings = device::processorReader;
    /// What tells, from the start of a worker on, whether the kernel ended it for want of main memory.
    std::function<device::MemoryKills()> memoryKills = [] { return device::MemoryKills(); };
    /// What an interpreter has, as python_stack.h says.
    std::function<PythonStack(const QString& program, const QString& packages)> pythonStackOf =
        [](const QString& program, const QString& packages) {
            return engine::pythonStackOf(program, packages);
        };
    WorkerTimeouts timeouts;
    /// From the beginning of a pause until the workers are ended: who goes on at once keeps them.
    std::chrono::milliseconds restAfter = std::chrono::seconds(3);
    /// Runs that get the same one use the devices one at a time.
    std::shared_ptr<DeviceLease> lease = std::make_shared<DeviceLease>();
};

} // namespace batchpeak::engine
