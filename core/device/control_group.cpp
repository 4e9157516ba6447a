// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "control_group.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace batchpeak::device {

namespace {

namespace fs = std::filesystem;

// Version 1 reports "no limit" as a number close to 2^63, rounded down to a page.
constexpr std::int64_t noLimit = std::int64_t{1} << 62;

std::optional<std::int64_t> numberIn(const fs::path& file)
{
    std::ifstream stream(file);
    std::int64_t number = 0;
    if (stream >> number)
        return number;
    return std::nullopt;
}

std::optional<std::int64_t> limitIn(const fs::path& file)
{
    const auto limit = numberIn(file);
    return limit && *limit < noLimit ? limit : std::nullopt;
}

std::optional<std::int64_t> entryOf(const fs::path& file, const std::string& key)
{
    std::ifstream stream(file);
    std::string name;
    std::int64_t number = 0;
    while (stream >> name >> number) {
        if (name == key)
            return number;
    }
    return std::nullopt;
}

template<typename Value>
std::optional<Value> tighter(std::optional<Value> a, std::optional<Value> b)
{
    if (a && b)
        return std::min(*a, *b);
    return a ? a : b;
}

// A container often sees its own group as the root of the mounted tree, while its path is that of the host:
// folders that do not exist are skipped.
template<typename Read>
auto tightestUpwards(fs::path folder, const fs::path& top, Read read) -> decltype(read(folder))
{
    decltype(read(folder)) tightest;
    while (true) {
        tightest = tighter(tightest, read(folder));
        if (folder == top || !folder.has_relative_path())
            return tightest;
        folder = folder.parent_path();
    }
}

} // namespace

ControlGroup::Hierarchy ControlGroup::hierarchyOf(std::string_view controller) const
{
    const fs::path mount = m_root / "sys/fs/cgroup";
    Hierarchy unified{.top = mount, .folder = mount, .isUnified = true};
    // The lines are "number:controllers:path". An empty list of controllers means version 2, which has the
    // controllers that no hierarchy of version 1 has.
    std::ifstream groups(m_root / "proc" / m_process / "cgroup");
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const fs::path path = fs::path(line.substr(second + 1)).relative_path();
        if (second == first + 1)
            unified.folder = mount / path;
        std::istringstream names(line.substr(first + 1, second - first - 1));
        for (std::string name; std::getline(names, name, ',');) {
            if (name == controller)
                return {.top = mount / name, .folder = mount / name / path};
        }
    }
    return unified;
}

std::optional<std::int64_t> ControlGroup::memoryLimitBytes() const
{
    const Hierarchy memory = hierarchyOf("memory");
    return tightestUpwards(memory.folder, memory.top, [&](const fs::path& folder) {
        return limitIn(folder / (memory.isUnified ? "memory.max" : "memory.limit_in_bytes"));
    });
}

std::optional<std::int64_t> ControlGroup::freeMemoryBytes() const
{
    const Hierarchy memory = hierarchyOf("memory");
    return tightestUpwards(
        memory.folder, memory.top, [&](const fs::path& folder) -> std::optional<std::int64_t> {
            const auto limit = limitIn(folder / (memory.isUnified ? "memory.max" : "memory.limit_in_bytes"));
            if (!limit)
                return std::nullopt;
            const auto used =
                numberIn(folder / (memory.isUnified ? "memory.current" : "memory.usage_in_bytes"));
            std::int64_t droppable = 0;
            for (const char* pages : {"inactive_file", "active_file"})
                droppable += entryOf(folder / "memory.stat",
                                     (memory.isUnified ? std::string() : std::string("total_")) + pages)
                                 .value_or(0);
            return std::clamp<std::int64_t>(*limit - used.value_or(0) + droppable, 0, *limit);
        });
}

std::vector<fs::path> ControlGroup::killCounters() const
{
    const Hierarchy memory = hierarchyOf("memory");
    // Groups of version 1 only count their own processes. A container often sees its own group as the root of
    // the tree.
    std::vector<fs::path> folders{memory.folder};
    while (memory.isUnified && folders.back() != memory.top && folders.back().has_relative_path())
        folders.push_back(folders.back().parent_path());
    if (!memory.isUnified && memory.folder != memory.top)
        folders.push_back(memory.top);
    std::vector<fs::path> counters;
    for (const fs::path& folder : folders) {
        const fs::path counter = folder / (memory.isUnified ? "memory.events" : "memory.oom_control");
        if (killsIn(counter))
            counters.push_back(counter);
        if (!counters.empty() && !memory.isUnified)
            break;
    }
    return counters;
}

std::optional<std::int64_t> ControlGroup::killsIn(const fs::path& counter)
{
    return entryOf(counter, "oom_kill");
}

std::optional<double> ControlGroup::processors() const
{
    const Hierarchy cpu = hierarchyOf("cpu");
    return tightestUpwards(cpu.folder, cpu.top, [&](const fs::path& folder) -> std::optional<double> {
        double quota = -1;
        double period = 0;
        if (cpu.isUnified) {
            std::ifstream both(folder / "cpu.max");
            if (!(both >> quota >> period))
                return std::nullopt;
        } else {
            quota = static_cast<double>(numberIn(folder / "cpu.cfs_quota_us").value_or(-1));
            period = static_cast<double>(numberIn(folder / "cpu.cfs_period_us").value_or(0));
        }
        if (quota <= 0 || period <= 0)
            return std::nullopt;
        return quota / period;
    });
}

} // namespace batchpeak::device
