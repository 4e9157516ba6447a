// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace batchpeak::device {

/// The limits that a container or a service manager puts on this process, read from Linux's control
/// groups, version 1 and 2. A limit of any group up to the root counts; the tightest is told.
class ControlGroup
{
public:
    /// \param root  stands for /, so that tests can lay out a file system of their own
    explicit ControlGroup(std::filesystem::path root = "/") : m_root(std::move(root)) {}

    /// Memory that the groups leave this process [bytes], page cache that they can drop included.
    std::optional<std::int64_t> freeMemoryBytes() const;
    /// Memory that the groups allow altogether [bytes].
    std::optional<std::int64_t> memoryLimitBytes() const;
    /// Processes of the group that the kernel has ended because no memory was left.
    std::optional<std::int64_t> memoryKills() const;
    /// Processors' worth of time that the groups allow, 1.5 for one and a half.
    std::optional<double> processors() const;

private:
    /// The tree of groups that a controller has, and the group of this process in it.
    struct Hierarchy
    {
        std::filesystem::path top;
        std::filesystem::path folder;
        /// Version 2.
        bool isUnified = false;
    };
    Hierarchy hierarchyOf(std::string_view controller) const;

    std::filesystem::path m_root;
};

} // namespace batchpeak::device
