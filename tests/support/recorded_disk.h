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

/// What a power loss leaves of that which was not synced.
enum class Unsynced {
    /// Nothing.
    Lost,
    /// Each write and each change of a name for itself, or not.
    Some,
    /// As Some, and of a write perhaps its first sectors alone.
    Torn,
    /// All: what stands in the files while there is power.
    Kept
};

/// Records every write, truncation, sync and change of a name in one folder and below it, by whomever in this
/// program it is made (SQLite, Qt, ourselves), and tells what a disk holds when the power fails in between.
///
/// It is stricter than file systems are: contents are on the disk once their file was synced, a name once its
/// folder was, and what was not synced may arrive in any order. It stands in the place of libc's functions
/// (recorded_disk.cpp), knows neither symbolic links nor paths from an open folder, and sees nothing of
/// memory that is shared through a file. Syncs are recorded alone, not done.
class RecordedDisk
{
public:
    /// Begins to record; what the folder holds counts as synced.
    explicit RecordedDisk(const QString& folder);
    /// Ends it, if it goes on still.
    ~RecordedDisk();
    RecordedDisk(const RecordedDisk&) = delete;
    RecordedDisk& operator=(const RecordedDisk&) = delete;

    void stop();
    /// Those so far.
    std::size_t operations() const { return m_operations.size(); }
    /// Makes \p folder what the disk holds when the power fails after so many operations.
    void restore(const QString& folder, std::size_t operations, Unsynced unsynced, std::uint32_t seed) const;

    // What follows is for the functions that stand in libc's place.
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
        /// At the end of the recording; what stands in a file is in the operations alone.
        std::map<std::string, int> entries = {};
    };
    /// A name in a folder gets another node, or none.
    struct NameChange
    {
        int folder = none;
        std::string name;
        int node = none;
    };
    struct Operation
    {
        enum class Kind { Write, Truncate, Names, Sync } kind = Kind::Sync;
        /// Of all but Names.
        int node = none;
        std::int64_t offset = 0;
        QByteArray bytes = {};
        /// Together or not at all.
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

/// Lets syncs be, of files whose durability is not what a test is about.
class WithoutSyncs
{
public:
    WithoutSyncs();
    ~WithoutSyncs();
    WithoutSyncs(const WithoutSyncs&) = delete;
    WithoutSyncs& operator=(const WithoutSyncs&) = delete;
};

/// A disk under one folder that takes nothing more: by a system call's error it is told why.
class RefusingDisk
{
public:
    /// \param error  ENOSPC lets no file grow and none be made, EROFS lets nothing be changed, EIO takes all
    ///        but fails to sync, ENOLCK takes all and has no locks, EBUSY lets no file take another's place
    RefusingDisk(const QString& folder, int error);
    ~RefusingDisk();
    RefusingDisk(const RefusingDisk&) = delete;
    RefusingDisk& operator=(const RefusingDisk&) = delete;
};

} // namespace batchpeak::test
