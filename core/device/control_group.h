// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace batchpeak::device {

/// Reads the limits that a container or a service manager puts on a process from Linux's control groups,
/// version 1 and 2. The limits of all groups from the process's own up to the root apply; the tightest one is
/// returned.
class ControlGroup
{
public:
    /// \param root  folder that stands for /, so that tests can lay out a file system of their own
    /// \param process  process id; "self" means this process
    explicit ControlGroup(std::filesystem::path root = "/", std::string process = "self")
        : m_root(std::move(root)), m_process(std::move(process))
    {}

    /// Memory that the groups still leave the process [bytes], including page cache that the kernel can drop.
    std::optional<std::int64_t> freeMemoryBytes() const;
    /// Memory limit of the groups [bytes].
    std::optional<std::int64_t> memoryLimitBytes() const;
    /// Files that count the processes of the groups that the kernel killed because it ran out of memory;
    /// killsIn() reads them. The file of the process's own group comes first, then those of the groups above,
    /// which count the same kills and outlive it. Empty if no group counts kills.
    std::vector<std::filesystem::path> killCounters() const;
    /// Returns the number of kills that \p counter holds, or nothing if the file has no such number or does
    /// not exist any more.
    static std::optional<std::int64_t> killsIn(const std::filesystem::path& counter);
    /// CPU time that the groups allow, as a number of processors: 1.5 for one and a half.
    std::optional<double> processors() const;

private:
    /// The tree of groups that a controller has, and the group of the process in it.
    struct Hierarchy
    {
        std::filesystem::path top;
        std::filesystem::path folder;
        /// Whether the hierarchy is one of version 2.
        bool isUnified = false;
    };
    Hierarchy hierarchyOf(std::string_view controller) const;

    std::filesystem::path m_root;
    std::string m_process;
};

} // namespace batchpeak::device
