// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "local_device.h"

#include "host_memory.h"
#include "nvidia_library.h"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace batchpeak::device {

namespace {

// Loading and initialising the library takes tens of milliseconds, too long for every reading.
const NvidiaLibrary& sharedLibrary()
{
    static const NvidiaLibrary nvml;
    return nvml;
}

std::string processorName(const std::filesystem::path& root)
{
    constexpr std::string_view key = "model name";
    std::ifstream stream(root / "proc/cpuinfo");
    for (std::string line; std::getline(stream, line);) {
        const std::size_t colon = line.find(':');
        if (line.starts_with(key) && colon != std::string::npos)
            return line.substr(std::min(line.find_first_not_of(" \t", colon + 1), line.size()));
    }
    return "CPU";
}

} // namespace

std::string LocalDevice::id() const
{
    return kind == "cpu" ? kind : kind + ":" + std::to_string(index);
}

std::vector<LocalDevice> localDevices()
{
    std::vector<LocalDevice> devices = sharedLibrary().devices();
    devices.push_back(processor());
    return devices;
}

LocalDevice processor(const std::filesystem::path& root)
{
    const HostMemory memory = hostMemory(root);
    return {.kind = "cpu",
            .name = processorName(root),
            .totalBytes = memory.total,
            .freeBytes = memory.available};
}

DeviceReadings readingsOf(const std::string& uuid)
{
    return sharedLibrary().readings(uuid);
}

NvidiaCondition conditionOf(const std::string& uuid)
{
    return sharedLibrary().condition(uuid);
}

} // namespace batchpeak::device
