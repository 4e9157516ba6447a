// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "local_device.h"

#include "host_memory.h"
#include "nvidia_library.h"
#include "processor_watch.h"
#include "visible_devices.h"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace batchpeak::device {

namespace {

// Loading and initializing the library takes tens of milliseconds, too long for every reading.
const NvidiaLibrary& sharedLibrary()
{
    static const NvidiaLibrary nvml;
    return nvml;
}

/// Returns the text after "key :" in a file of /proc.
std::optional<std::string> valueIn(const std::filesystem::path& file, std::string_view key)
{
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t colon = line.find(':');
        if (line.starts_with(key) && colon != std::string::npos)
            return line.substr(std::min(line.find_first_not_of(" \t", colon + 1), line.size()));
    }
    return std::nullopt;
}

} // namespace

std::string LocalDevice::id() const
{
    return kind == "cpu" ? kind : kind + ":" + std::to_string(index);
}

bool nvidiaDriverIsPresent(const std::filesystem::path& root)
{
    std::error_code error;
    // The first appears when the driver's module is loaded, the second when it was first used; /dev/dxg is
    // the GPU of a Linux inside Windows.
    for (const char* path : {"proc/driver/nvidia/version", "dev/nvidiactl", "dev/dxg"}) {
        if (std::filesystem::exists(root / path, error))
            return true;
    }
    return root == "/" && !sharedLibrary().devices().empty();
}

std::vector<LocalDevice> devicesOfDriver(const std::filesystem::path& root)
{
    std::error_code error;
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(root / "proc/driver/nvidia/gpus", error))
        folders.push_back(entry.path());
    // The folders are named after the bus address, by which NVML orders devices.
    std::ranges::sort(folders);
    std::vector<LocalDevice> devices;
    for (const std::filesystem::path& folder : folders) {
        const std::filesystem::path file = folder / "information";
        const std::string uuid = valueIn(file, "GPU UUID").value_or("");
        // A GPU that was not used since the computer was started shows question marks.
        if (uuid.empty() || uuid.find('?') != std::string::npos)
            continue;
        devices.push_back({.kind = "cuda",
                           .index = static_cast<int>(devices.size()),
                           .name = valueIn(file, "Model").value_or("NVIDIA GPU"),
                           .uuid = uuid});
    }
    return devices;
}

LocalDevices localDevices()
{
    LocalDevices local;
    std::vector<LocalDevice> gpus = sharedLibrary().devices();
    if (gpus.empty() && nvidiaDriverIsPresent()) {
        local.gpuProblem = sharedLibrary().problem().empty()
                               ? "The NVIDIA driver offers no GPU; nvidia-smi may tell why."
                               : sharedLibrary().problem();
        gpus = devicesOfDriver();
    }
    VisibleDevices visible = visibleDevices(gpus, processEnvironment);
    local.devices = std::move(visible.devices);
    local.restriction = std::move(visible.restriction);
    local.devices.push_back(processor());
    return local;
}

namespace {

/// Returns the number of matrix units of the processors that this process may run on.
int matrixUnits(const std::filesystem::path& root)
{
    const std::string abilities = valueIn(root / "proc/cpuinfo", "flags").value_or("");
    if (abilities.find("amx_tile") == std::string::npos || abilities.find("amx_bf16") == std::string::npos)
        return 0;
    const std::optional<ProcessorLoad> load = processorLoad(root);
    return load ? load->processors : 0;
}

} // namespace

LocalDevice processor(const std::filesystem::path& root)
{
    const HostMemory memory = hostMemory(root);
    return {.kind = "cpu",
            .name = valueIn(root / "proc/cpuinfo", "model name").value_or("CPU"),
            .totalBytes = memory.total,
            .freeBytes = memory.available,
            .matrixUnits = matrixUnits(root)};
}

Throttle throttleOf(std::uint64_t clockReasons)
{
    if ((clockReasons & (slowdown::softwareThermal | slowdown::hardwareThermal)) != 0)
        return Throttle::Heat;
    if ((clockReasons & (slowdown::hardware | slowdown::powerBrake)) != 0)
        return Throttle::Hardware;
    return (clockReasons & slowdown::softwarePower) != 0 ? Throttle::Power : Throttle::None;
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
