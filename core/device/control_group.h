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

/// The limits that a container or a service manager puts on a process, read from Linux's control groups,
/// version 1 and 2. A limit of any group up to the root counts; the tightest is told.
class ControlGroup
{
public:
    /// \param root  stands for /, so that tests can lay out a file system of their own
    /// \param process  its number; this one, where it is not said
    explicit ControlGroup(std::filesystem::path root = "/", std::string process = "self")
        : m_root(std::move(root)), m_process(std::move(process))
    {}

    /// Memory that the groups leave the process [bytes], page cache that they can drop included.
    std::optional<std::int64_t> freeMemoryBytes() const;
    /// Memory that the groups allow altogether [bytes].
    std::optional<std::int64_t> memoryLimitBytes() const;
    /// Files that count the processes of its groups that the kernel has ended because no memory was left, by
    /// killsIn(): of the process's own group first, then of those above, which count it too and outlive it.
    /// Empty where no group counts.
    std::vector<std::filesystem::path> killCounters() const;
    /// Nothing where the file does not count, or is not there any more.
    static std::optional<std::int64_t> killsIn(const std::filesystem::path& counter);
    /// Processors' worth of time that the groups allow, 1.5 for one and a half.
    std::optional<double> processors() const;

private:
    /// The tree of groups that a controller has, and the group of the process in it.
    struct Hierarchy
    {
        std::filesystem::path top;
        std::filesystem::path folder;
        /// Version 2.
        bool isUnified = false;
    };
    Hierarchy hierarchyOf(std::string_view controller) const;

    std::filesystem::path m_root;
    std::string m_process;
};

} // namespace batchpeak::device
