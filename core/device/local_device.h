// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "nvidia_condition.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::device {

/// A device of this computer that trials may run on, as it can be told without libtorch.
struct LocalDevice
{
    /// "cpu" or "cuda"
    std::string kind;
    /// Number among the devices of its kind, in the order of NVML.
    int index = 0;
    std::string name;
    /// "GPU-..." of an NVIDIA GPU; it names the device to a worker, whatever the order CUDA counts in.
    std::string uuid;
    std::int64_t totalBytes = 0;
    std::int64_t freeBytes = 0;
    std::string driver;

    /// "cpu", "cuda:0": the word of the command line.
    std::string id() const;
};

/// Readings at one moment; those that the device or its driver does not give are absent.
struct DeviceReadings
{
    std::optional<int> utilizationPercent;
    std::optional<int> temperatureCelsius;
    std::optional<int> clockMegahertz;
    std::optional<int> maxClockMegahertz;
};

/// Every NVIDIA GPU, by NVML (loaded at run time; none where there is no driver), then the CPU.
std::vector<LocalDevice> localDevices();

/// \param uuid  of an NVIDIA GPU
DeviceReadings readingsOf(const std::string& uuid);
NvidiaCondition conditionOf(const std::string& uuid);

} // namespace batchpeak::device
