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

/// Fate of unsynced data after a power loss.
enum class Unsynced {
    /// Nothing survives.
    Lost,
    /// Each write and each change of a folder entry survives or is lost, independently of the others.
    Some,
    /// Like Some, but a surviving write may keep only its first sectors.
    Torn,
    /// Everything survives: the files are as they were while the power was on.
    Kept
};

/// Records every write, truncation, sync and change of a folder entry in one folder and below it, by all code
/// in this program (SQLite, Qt, our own), and restores the content of the disk after a power loss at any
/// point of the recording.
///
/// This class is stricter than file systems are: only a sync of a file makes its content durable, only a sync
/// of a folder makes its entries durable, and unsynced changes may reach the disk in any order. The class
/// replaces functions of libc (recorded_disk.cpp). It supports neither symbolic links nor paths relative to
/// an open folder, and it does not record writes to memory-mapped files. It records syncs without executing
/// them.
class RecordedDisk
{
public:
    /// Starts recording. The current content of the folder counts as synced.
    explicit RecordedDisk(const QString& folder);
    /// Calls stop().
    ~RecordedDisk();
    RecordedDisk(const RecordedDisk&) = delete;
    RecordedDisk& operator=(const RecordedDisk&) = delete;

    void stop();
    /// Number of operations that are recorded so far.
    std::size_t operations() const { return m_operations.size(); }
    /// Replaces \p folder by the content of the disk after a power loss that follows the first \p operations
    /// operations.
    void restore(const QString& folder, std::size_t operations, Unsynced unsynced, std::uint32_t seed) const;

    // The replacements of libc's functions call the functions below.
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
        /// Entries of a folder at the end of the recording. Only the operations hold the content of files.
        std::map<std::string, int> entries = {};
    };
    /// Change of a folder entry, which then refers to another node or to none.
    struct NameChange
    {
        int folder = none;
        std::string name;
        int node = none;
    };
    struct Operation
    {
        enum class Kind { Write, Truncate, Names, Sync } kind = Kind::Sync;
        /// Node that the operation changes or syncs; all kinds except Names use it.
        int node = none;
        std::int64_t offset = 0;
        QByteArray bytes = {};
        /// Changes of folder entries that are atomic: all of them survive, or none does.
        std::vector<NameChange> names = {};
    };
    struct Place
    {
        int folder = none;
        std::string name;
    };

    void recordContent(const QString& folder, int node);
    int newNode(bool isFolder);
    std::optional<Place> placeOf(const std::string& path) const;
    int nodeAt(const Place& place) const;
    void change(std::vector<NameChange> names);
    std::vector<std::size_t> syncOfEachOperation() const;
    void restoreFolder(const QString& path, int node, const std::vector<std::map<std::string, int>>& entries,
                       const std::vector<QByteArray>& contents) const;

    std::string m_root;
    std::vector<Node> m_nodes;
    std::map<int, int> m_open;
    std::vector<Operation> m_operations;
};

/// Skips syncs during its lifetime, for tests that do not check the durability of files.
class WithoutSyncs
{
public:
    WithoutSyncs();
    ~WithoutSyncs();
    WithoutSyncs(const WithoutSyncs&) = delete;
    WithoutSyncs& operator=(const WithoutSyncs&) = delete;
};

/// Makes system calls that change files below one folder fail during its lifetime.
class RefusingDisk
{
public:
    /// \param error  ENOSPC: no write can enlarge a file, and no file can be created or renamed; EROFS:
    ///        nothing can be changed; EIO: only syncs fail; ENOLCK: only locks fail; EBUSY: no file can
    ///        replace another
    RefusingDisk(const QString& folder, int error);
    ~RefusingDisk();
    RefusingDisk(const RefusingDisk&) = delete;
    RefusingDisk& operator=(const RefusingDisk&) = delete;
};

} // namespace batchpeak::test
