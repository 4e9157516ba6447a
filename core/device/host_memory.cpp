// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "host_memory.h"

#include "control_group.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace batchpeak::device {

HostMemory hostMemory(const std::filesystem::path& root)
{
    HostMemory memory;
    std::ifstream stream(root / "proc/meminfo");
    for (std::string line; std::getline(stream, line);) {
        const auto valueOf = [&line](std::string_view key) {
            return line.starts_with(key) ? std::strtoll(line.c_str() + key.size(), nullptr, 10) * 1024 : 0;
        };
        memory.total = std::max<std::int64_t>(memory.total, valueOf("MemTotal:"));
        memory.available = std::max<std::int64_t>(memory.available, valueOf("MemAvailable:"));
    }
    const ControlGroup group(root);
    memory.total = std::min(memory.total, group.memoryLimitBytes().value_or(memory.total));
    memory.available = std::min(memory.available, group.freeMemoryBytes().value_or(memory.available));
    return memory;
}

} // namespace batchpeak::device
