// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::device {

/// Tells a process that the kernel has ended for want of main memory from one that somebody else has.
///
/// What is counted is that the kernel has ended any process of the control groups that are looked at, since
/// that began: those of this process, and of others that are named, or else of the whole computer. Whether it
/// was the process that is meant is not known.
class MemoryKills
{
public:
    /// \param root  stands for /, so that tests can lay out a file system of their own
    explicit MemoryKills(std::filesystem::path root = "/");

    /// Looks at the groups of a process too, and at those of all that it has started by now: a launcher may
    /// have put them elsewhere. One that is not here changes nothing.
    void include(std::int64_t process);

    bool haveHappened() const { return killing() != nullptr; }
    /// Memory that the groups allow of which the kernel has ended a process [bytes]; nothing where they allow
    /// all, or none is known.
    std::optional<std::int64_t> limitBytes() const;

private:
    struct Counter
    {
        std::filesystem::path file;
        std::int64_t before = 0;
    };
    struct Group
    {
        /// The nearest first: it is gone where its manager has removed it with its last process.
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
