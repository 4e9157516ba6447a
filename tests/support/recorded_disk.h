// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace batchpeak::test {

/// What remains of unsynced data after a power loss.
enum class Unsynced {
    /// Nothing remains.
    Lost,
    /// Each write and each change of a name remains or not, independently of the others.
    Some,
    /// Like Some, but of a write possibly only the first sectors remain.
    Torn,
    /// Everything remains: the files are as they were while the power was on.
    Kept
};

/// Records every write, truncation, sync and change of a name in one folder and below it, whichever code in
/// this program makes it (SQLite, Qt, our own), and restores what a disk holds if the power fails in between.
///
/// This class is stricter than file systems are: contents are on the disk once their file was synced, a name
/// once its folder was, and unsynced changes may arrive in any order. It replaces functions of libc
/// (recorded_disk.cpp). It does not support symbolic links or paths relative to an open folder, and does not
/// see memory that is shared through a file. Syncs are only recorded, not executed.
class RecordedDisk
{
public:
    /// Starts recording; the present content of the folder counts as synced.
    explicit RecordedDisk(const QString& folder);
    /// Stops recording if it has not been stopped yet.
    ~RecordedDisk();
    RecordedDisk(const RecordedDisk&) = delete;
    RecordedDisk& operator=(const RecordedDisk&) = delete;

    void stop();
    /// Number of operations recorded so far.
    std::size_t operations() const { return m_operations.size(); }
    /// Fills \p folder with what the disk holds if the power fails after that number of operations.
    void restore(const QString& folder, std::size_t operations, Unsynced unsynced, std::uint32_t seed) const;

    // The functions below are for those that replace libc's.
    void opened(int descriptor, const std::string& path, int flags);
    void closed(int descriptor) { m_open.erase(descriptor); }
    void wrote(int descriptor, std::int64_t offset, const void* bytes, std::size_t count);
    void truncated(int descriptor, std::int64_t size);
    void synced(int descriptor);
    void linked(const std::string& from, const std::string& to);
    void linked(int descriptor, const std::string& to);
    void renamed(const std::string& from, const std::string& to, bool exchanged);
    void removed(const std::string& path);
    void madeFolder(const std::string& path);
    bool holds(int descriptor) const { return m_open.contains(descriptor); }

private:
    static constexpr int none = -1;
    struct Node
    {
        bool isFolder = false;
        /// Entries at the end of the recording; the content of a file is in the operations alone.
        std::map<std::string, int> entries = {};
    };
    /// A change of a name in a folder, which then refers to another node or to none.
    struct NameChange
    {
        int folder = none;
        std::string name;
        int node = none;
    };
    struct Operation
    {
        enum class Kind { Write, Truncate, Names, Sync } kind = Kind::Sync;
        /// The node; used by all kinds except Names.
        int node = none;
        std::int64_t offset = 0;
        QByteArray bytes = {};
        /// Changes of names that happen together or not at all.
        std::vector<NameChange> names = {};
    };
    struct Place
    {
        int folder = none;
        std::string name;
    };

    void takeIn(const QString& folder, int node);
    int newNode(bool isFolder);
    std::optional<Place> placeOf(const std::string& path) const;
    int nodeAt(const Place& place) const;
    void change(std::vector<NameChange> names);
    std::vector<std::size_t> syncOfEach() const;
    void restoreFolder(const QString& path, int node, const std::vector<std::map<std::string, int>>& entries,
                       const std::vector<QByteArray>& contents) const;

    std::string m_root;
    std::vector<Node> m_nodes;
    std::map<int, int> m_open;
    std::vector<Operation> m_operations;
};

/// Skips syncs, for tests that are not about the durability of files.
class WithoutSyncs
{
public:
    WithoutSyncs();
    ~WithoutSyncs();
    WithoutSyncs(const WithoutSyncs&) = delete;
    WithoutSyncs& operator=(const WithoutSyncs&) = delete;
};

/// A disk below one folder that refuses changes with the error of a system call.
class RefusingDisk
{
public:
    /// \param error  ENOSPC: no file can grow or be created; EROFS: nothing can be changed; EIO: everything
    ///        is accepted, but syncs fail; ENOLCK: everything is accepted, but there are no locks; EBUSY: no
    ///        file can replace another
    RefusingDisk(const QString& folder, int error);
    ~RefusingDisk();
    RefusingDisk(const RefusingDisk&) = delete;
    RefusingDisk& operator=(const RefusingDisk&) = delete;
};

} // namespace batchpeak::test
