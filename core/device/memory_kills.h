// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::device {

/// Distinguishes a process that the kernel killed because main memory ran out from one that was killed
/// otherwise.
///
/// It detects that the kernel has killed any process of the watched control groups since it began to watch
/// them: those of this process and of the processes given to include(). For a group without counters it uses
/// the count of the whole computer. It does not know which process was killed.
class MemoryKills
{
public:
    /// \param root  folder that stands for /, so that tests can lay out a file system of their own
    explicit MemoryKills(std::filesystem::path root = "/");

    /// Also watches the groups of \p process and of all its descendants so far: a launcher may have put them
    /// into other groups. Does nothing if the process does not exist on this computer.
    void include(std::int64_t process);

    bool haveHappened() const { return killing() != nullptr; }
    /// Memory limit of the groups in which the kernel has killed a process [bytes]; nothing if they have no
    /// limit, or no kill is known.
    std::optional<std::int64_t> limitBytes() const;

private:
    struct Counter
    {
        std::filesystem::path file;
        std::int64_t before = 0;
    };
    struct Group
    {
        /// Starts with the process's own group. Its counter disappears if the group's manager removes the
        /// group with its last process.
        std::vector<Counter> counters;
        std::optional<std::int64_t> limitBytes;
    };
    void look(const std::string& process);
    bool hasRisen(const Group& group) const;
    const Group* killing() const;

    std::filesystem::path m_root;
    std::int64_t m_ofComputer = 0;
    std::vector<Group> m_groups;
};

} // namespace batchpeak::device
