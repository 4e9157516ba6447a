// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "control_group.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace batchpeak::device {

namespace {

namespace fs = std::filesystem;

// Version 1 says "no limit" by a number close to 2^63, rounded down to a page.
constexpr std::int64_t noLimit = std::int64_t{1} << 62;

std::optional<std::int64_t> numberIn(const fs::path& file)
{
    std::ifstream stream(file);
    std::int64_t number = 0;
    if (stream >> number)
        return number;
    return std::nullopt;
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

// A container often sees its own group as the root of the mounted tree, while its path names the
// host's: folders that are not there are passed over.
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

ControlGroup::ControlGroup(fs::path root) : m_root(std::move(root))
{
    std::error_code error;
    m_unified = fs::exists(m_root / "sys/fs/cgroup/cgroup.controllers", error);
}

fs::path ControlGroup::topOf(const char* controller) const
{
    const fs::path mount = m_root / "sys/fs/cgroup";
    return m_unified ? mount : mount / controller;
}

fs::path ControlGroup::folderOf(const char* controller) const
{
    const fs::path top = topOf(controller);
    std::ifstream groups(m_root / "proc/self/cgroup");
    std::string line;
    while (std::getline(groups, line)) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        std::istringstream names(line.substr(first + 1, second - first - 1));
        bool ours = m_unified && line.starts_with("0::");
        for (std::string name; !m_unified && std::getline(names, name, ',');)
            ours = ours || name == controller;
        if (ours)
            return top / fs::path(line.substr(second + 1)).relative_path();
    }
    return top;
}

std::optional<std::int64_t> ControlGroup::memoryLimitBytes() const
{
    return tightestUpwards(folderOf("memory"), topOf("memory"), [this](const fs::path& folder) {
        auto limit = numberIn(folder / (m_unified ? "memory.max" : "memory.limit_in_bytes"));
        return limit && *limit < noLimit ? limit : std::nullopt;
    });
}

std::optional<std::int64_t> ControlGroup::freeMemoryBytes() const
{
    return tightestUpwards(folderOf("memory"), topOf("memory"), [this](const fs::path& folder) {
        const auto limit = numberIn(folder / (m_unified ? "memory.max" : "memory.limit_in_bytes"));
        const auto used = numberIn(folder / (m_unified ? "memory.current" : "memory.usage_in_bytes"));
        if (!limit || *limit >= noLimit || !used)
            return std::optional<std::int64_t>{};
        const std::int64_t droppable =
            entryOf(folder / "memory.stat", m_unified ? "inactive_file" : "total_inactive_file").value_or(0);
        return std::optional(std::clamp<std::int64_t>(*limit - *used + droppable, 0, *limit));
    });
}

std::optional<std::int64_t> ControlGroup::memoryKills() const
{
    // The group's own count, or where a container sees no such folder, that of the tree's root.
    for (const fs::path& folder : {folderOf("memory"), topOf("memory")}) {
        if (auto kills = entryOf(folder / (m_unified ? "memory.events" : "memory.oom_control"), "oom_kill"))
            return kills;
    }
    return std::nullopt;
}

std::optional<double> ControlGroup::processors() const
{
    return tightestUpwards(
        folderOf("cpu"), topOf("cpu"), [this](const fs::path& folder) -> std::optional<double> {
            double quota = -1;
            double period = 0;
            if (m_unified) {
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
