// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_kills.h"

#include "control_group.h"

#include <fstream>
#include <string>

namespace batchpeak::device {

std::int64_t memoryKills(const std::filesystem::path& root)
{
    if (const auto kills = ControlGroup(root).memoryKills())
        return *kills;
    std::ifstream counters(root / "proc/vmstat");
    std::string name;
    for (std::int64_t count = 0; counters >> name >> count;) {
        if (name == "oom_kill")
            return count;
    }
    return 0;
}

} // namespace batchpeak::device
