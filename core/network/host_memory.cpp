// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "host_memory.h"

#include "device/control_group.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace batchpeak::network {

HostMemory hostMemory(const std::filesystem::path& root)
{
    HostMemory memory;
    std::ifstream stream(root / "proc/meminfo");
    for (std::string line; std::getline(stream, line);) {
        const auto valueOf = [&line](const std::string& key) {
            return line.starts_with(key) ? std::stoll(line.substr(key.size())) * 1024 : 0;
        };
        memory.total = std::max<std::int64_t>(memory.total, valueOf("MemTotal:"));
        memory.available = std::max<std::int64_t>(memory.available, valueOf("MemAvailable:"));
    }
    const device::ControlGroup group(root);
    memory.total = std::min(memory.total, group.memoryLimitBytes().value_or(memory.total));
    memory.available = std::min(memory.available, group.freeMemoryBytes().value_or(memory.available));
    return memory;
}

std::int64_t tensorBytesWithin(std::int64_t hostBytes)
{
    constexpr std::int64_t besideTensors = std::int64_t{200} << 20;
    return std::max<std::int64_t>(0, hostBytes - besideTensors) / 11 * 10;
}

} // namespace batchpeak::network
