// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_kills.h"

#include "control_group.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace batchpeak::device {

namespace {

namespace fs = std::filesystem;

/// More than launchers nest, and enough of the processes that a worker starts.
constexpr std::size_t maxProcesses = 64;

std::int64_t killsOfComputer(const fs::path& root)
{
    std::ifstream counters(root / "proc/vmstat");
    std::string name;
    for (std::int64_t count = 0; counters >> name >> count;) {
        if (name == "oom_kill")
            return count;
    }
    return 0;
}

/// Returns the children that any thread of the process has started.
std::vector<std::string> childrenOf(const fs::path& root, const std::string& process)
{
    std::vector<std::string> children;
    std::error_code error;
    for (const auto& thread : fs::directory_iterator(root / "proc" / process / "task", error)) {
        std::ifstream list(thread.path() / "children");
        for (std::string child; list >> child;)
            children.push_back(child);
    }
    return children;
}

} // namespace

MemoryKills::MemoryKills(fs::path root) : m_root(std::move(root)), m_ofComputer(killsOfComputer(m_root))
{
    look("self");
}

void MemoryKills::include(std::int64_t process)
{
    std::vector<std::string> processes{std::to_string(process)};
    std::error_code error;
    for (std::size_t place = 0; place < processes.size() && place < maxProcesses; ++place) {
        if (fs::exists(m_root / "proc" / processes[place] / "cgroup", error))
            look(processes[place]);
        for (std::string& child : childrenOf(m_root, processes[place]))
            processes.push_back(std::move(child));
    }
}

void MemoryKills::look(const std::string& process)
{
    const ControlGroup control(m_root, process);
    Group group{.limitBytes = control.memoryLimitBytes()};
    for (const fs::path& file : control.killCounters())
        group.counters.push_back({.file = file, .before = ControlGroup::killsIn(file).value_or(0)});
    const bool isKnown = std::ranges::any_of(m_groups, [&](const Group& known) {
        return std::ranges::equal(known.counters, group.counters, {}, &Counter::file, &Counter::file);
    });
    if (!isKnown)
        m_groups.push_back(std::move(group));
}

bool MemoryKills::hasRisen(const Group& group) const
{
    for (const Counter& counter : group.counters) {
        if (const auto kills = ControlGroup::killsIn(counter.file))
            return *kills > counter.before;
    }
    return killsOfComputer(m_root) > m_ofComputer;
}

/// Returns the last watched group with a kill, since the groups above it count its kills too.
const MemoryKills::Group* MemoryKills::killing() const
{
    const auto risen = std::find_if(m_groups.rbegin(), m_groups.rend(),
                                    [this](const Group& group) { return hasRisen(group); });
    return risen == m_groups.rend() ? nullptr : &*risen;
}

std::optional<std::int64_t> MemoryKills::limitBytes() const
{
    const Group* const group = killing();
    return group ? group->limitBytes : std::nullopt;
}

} // namespace batchpeak::device
