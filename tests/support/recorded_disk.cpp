// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorded_disk.h"

#include "files.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <mutex>
#include <random>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace batchpeak::test {

namespace {

// Disks write whole sectors.
constexpr std::int64_t sectorBytes = 512;

std::recursive_mutex guard;
std::atomic<RecordedDisk*> recording = nullptr;
std::atomic<bool> skipsSyncs = false;
std::atomic<int> refusal = 0;
std::string refusingFolder;

bool isBelow(const std::string& path, const std::string& folder)
{
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string absolute(const char* path)
{
    return std::filesystem::absolute(path).lexically_normal().string();
}

} // namespace

RecordedDisk::RecordedDisk(const QString& folder)
    : m_root(QFile::encodeName(QDir::cleanPath(folder)).toStdString())
{
    const int root = newNode(true);
    recordContent(folder, root);
    m_operations.push_back({.kind = Operation::Kind::Sync, .node = root});
    recording = this;
}

RecordedDisk::~RecordedDisk()
{
    stop();
}

void RecordedDisk::stop()
{
    const std::scoped_lock lock(guard);
    recording = nullptr;
    m_open.clear();
}

void RecordedDisk::recordContent(const QString& folder, int node)
{
    for (const QFileInfo& entry :
         QDir(folder).entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)) {
        const int child = newNode(entry.isDir());
        change({{node, QFile::encodeName(entry.fileName()).toStdString(), child}});
        if (entry.isDir())
            recordContent(entry.filePath(), child);
        else
            m_operations.push_back(
                {.kind = Operation::Kind::Write, .node = child, .bytes = readFile(entry.filePath())});
        m_operations.push_back({.kind = Operation::Kind::Sync, .node = child});
    }
}

int RecordedDisk::newNode(bool isFolder)
{
    m_nodes.push_back({.isFolder = isFolder});
    return static_cast<int>(m_nodes.size()) - 1;
}

std::optional<RecordedDisk::Place> RecordedDisk::placeOf(const std::string& path) const
{
    if (!isBelow(path, m_root) || path.size() == m_root.size())
        return std::nullopt;
    const std::filesystem::path inside = path.substr(m_root.size() + 1);
    Place place{.folder = 0, .name = inside.filename().string()};
    for (const auto& part : inside.parent_path()) {
        const auto& entries = m_nodes[static_cast<std::size_t>(place.folder)].entries;
        const auto found = entries.find(part.string());
        if (found == entries.end())
            return std::nullopt;
        place.folder = found->second;
    }
    return place;
}

int RecordedDisk::nodeAt(const Place& place) const
{
    const auto& entries = m_nodes[static_cast<std::size_t>(place.folder)].entries;
    const auto found = entries.find(place.name);
    return found == entries.end() ? none : found->second;
}

void RecordedDisk::change(std::vector<NameChange> names)
{
    for (const NameChange& changed : names) {
        auto& entries = m_nodes[static_cast<std::size_t>(changed.folder)].entries;
        if (changed.node == none)
            entries.erase(changed.name);
        else
            entries[changed.name] = changed.node;
    }
    m_operations.push_back({.kind = Operation::Kind::Names, .names = std::move(names)});
}

void RecordedDisk::opened(int descriptor, const std::string& path, int flags)
{
    if (path == m_root) {
        m_open[descriptor] = (flags & O_TMPFILE) == O_TMPFILE ? newNode(false) : 0;
        return;
    }
    const auto place = placeOf(path);
    if (!place)
        return;
    int node = nodeAt(*place);
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        node = newNode(false);
    } else if (node == none) {
        node = newNode(false);
        change({{place->folder, place->name, node}});
    } else if ((flags & O_TRUNC) != 0) {
        m_operations.push_back({.kind = Operation::Kind::Truncate, .node = node});
    }
    m_open[descriptor] = node;
}

void RecordedDisk::wrote(int descriptor, std::int64_t offset, const void* bytes, std::size_t count)
{
    m_operations.push_back(
        {.kind = Operation::Kind::Write,
         .node = m_open.at(descriptor),
         .offset = offset,
         .bytes = QByteArray(static_cast<const char*>(bytes), static_cast<qsizetype>(count))});
}

void RecordedDisk::truncated(int descriptor, std::int64_t size)
{
    m_operations.push_back(
        {.kind = Operation::Kind::Truncate, .node = m_open.at(descriptor), .offset = size});
}

void RecordedDisk::synced(int descriptor)
{
    m_operations.push_back({.kind = Operation::Kind::Sync, .node = m_open.at(descriptor)});
}

void RecordedDisk::linked(const std::string& from, const std::string& to)
{
    const auto source = placeOf(from);
    const auto target = placeOf(to);
    if (source && target)
        change({{target->folder, target->name, nodeAt(*source)}});
}

void RecordedDisk::linked(int descriptor, const std::string& to)
{
    const auto target = placeOf(to);
    if (target && holds(descriptor))
        change({{target->folder, target->name, m_open.at(descriptor)}});
}

void RecordedDisk::renamed(const std::string& from, const std::string& to, bool exchanged)
{
    const auto source = placeOf(from);
    const auto target = placeOf(to);
    if (source && target)
        change({{target->folder, target->name, nodeAt(*source)},
                {source->folder, source->name, exchanged ? nodeAt(*target) : none}});
}

void RecordedDisk::removed(const std::string& path)
{
    if (const auto place = placeOf(path))
        change({{place->folder, place->name, none}});
}

void RecordedDisk::madeFolder(const std::string& path)
{
    if (const auto place = placeOf(path))
        change({{place->folder, place->name, newNode(true)}});
}

/// Returns, for each operation, the index of the sync that makes it durable, or the largest std::size_t if
/// none does.
std::vector<std::size_t> RecordedDisk::syncOfEachOperation() const
{
    std::vector<std::size_t> syncs(m_operations.size());
    std::vector<std::size_t> next(m_nodes.size(), std::numeric_limits<std::size_t>::max());
    for (std::size_t i = m_operations.size(); i-- > 0;) {
        const Operation& operation = m_operations[i];
        const int node =
            operation.kind == Operation::Kind::Names ? operation.names.front().folder : operation.node;
        if (operation.kind == Operation::Kind::Sync)
            next[static_cast<std::size_t>(node)] = i;
        syncs[i] = next[static_cast<std::size_t>(node)];
    }
    return syncs;
}

void RecordedDisk::restore(const QString& folder, std::size_t operations, Unsynced unsynced,
                           std::uint32_t seed) const
{
    std::mt19937 random(seed);
    const auto isChosen = [&] {
        return unsynced == Unsynced::Kept || (unsynced != Unsynced::Lost && random() % 2 == 0);
    };
    const std::vector<std::size_t> syncs = syncOfEachOperation();
    std::vector<std::map<std::string, int>> entries(m_nodes.size());
    std::vector<QByteArray> contents(m_nodes.size());
    for (std::size_t i = 0; i < operations; ++i) {
        const Operation& operation = m_operations[i];
        const bool isSynced = syncs[i] < operations;
        if (operation.kind == Operation::Kind::Sync || (!isSynced && !isChosen()))
            continue;
        if (operation.kind == Operation::Kind::Names) {
            for (const NameChange& changed : operation.names) {
                auto& names = entries[static_cast<std::size_t>(changed.folder)];
                if (changed.node == none)
                    names.erase(changed.name);
                else
                    names[changed.name] = changed.node;
            }
            continue;
        }
        QByteArray& content = contents[static_cast<std::size_t>(operation.node)];
        if (operation.kind == Operation::Kind::Truncate) {
            content.resize(operation.offset, '\0');
            continue;
        }
        QByteArray bytes = operation.bytes;
        if (!isSynced && unsynced == Unsynced::Torn && isChosen())
            bytes.truncate(static_cast<qsizetype>(random()) % (bytes.size() / sectorBytes + 1) * sectorBytes);
        if (content.size() < operation.offset + bytes.size())
            content.resize(operation.offset + bytes.size(), '\0');
        std::ranges::copy(bytes, content.begin() + operation.offset);
    }
    QDir(folder).removeRecursively();
    restoreFolder(folder, 0, entries, contents);
}

void RecordedDisk::restoreFolder(const QString& path, int node,
                                 const std::vector<std::map<std::string, int>>& entries,
                                 const std::vector<QByteArray>& contents) const
{
    QDir().mkpath(path);
    for (const auto& [name, child] : entries[static_cast<std::size_t>(node)]) {
        const QString inside = QDir(path).filePath(QFile::decodeName(QByteArray::fromStdString(name)));
        if (m_nodes[static_cast<std::size_t>(child)].isFolder)
            restoreFolder(inside, child, entries, contents);
        else
            writeFile(inside, contents[static_cast<std::size_t>(child)]);
    }
}

WithoutSyncs::WithoutSyncs()
{
    skipsSyncs = true;
}

WithoutSyncs::~WithoutSyncs()
{
    skipsSyncs = false;
}

RefusingDisk::RefusingDisk(const QString& folder, int error)
{
    refusingFolder = QFile::encodeName(QDir::cleanPath(folder)).toStdString();
    refusal = error;
}

RefusingDisk::~RefusingDisk()
{
    refusal = 0;
}

namespace {

int failWith(int error)
{
    errno = error;
    return -1;
}

bool refusesChanges()
{
    return refusal == ENOSPC || refusal == EROFS;
}

/// Whether a change of the folder entry \p path fails. ENOSPC does not affect a removal, which needs no
/// space.
bool refusesNameChange(const char* path, bool removes = false)
{
    return refusesChanges() && !(removes && refusal == ENOSPC) && isBelow(absolute(path), refusingFolder);
}

/// Whether an open file or folder belongs to a RefusingDisk.
bool refuses(int descriptor)
{
    if (refusal == 0)
        return false;
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error);
    return !error && isBelow(path.string(), refusingFolder);
}

int openAt(int folder, const char* path, int flags, mode_t mode)
{
    const bool isNamed = folder == AT_FDCWD || path[0] == '/';
    if (isNamed && refusesNameChange(path)) {
        const bool creates = (flags & O_CREAT) != 0 && ::access(path, F_OK) != 0;
        if (creates || (refusal == EROFS && (flags & O_ACCMODE) != O_RDONLY))
            return failWith(refusal);
    }
    const std::scoped_lock lock(guard);
    const auto descriptor = static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
    if (RecordedDisk* disk = recording; disk && descriptor >= 0 && isNamed)
        disk->opened(descriptor, absolute(path), flags);
    return descriptor;
}

mode_t modeOf(int flags, va_list arguments)
{
    // O_TMPFILE contains the bit of O_DIRECTORY, with which a folder is opened without a mode.
    const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return creates ? va_arg(arguments, mode_t) : 0;
}

bool refusesWrites(int descriptor)
{
    return refusesChanges() && refuses(descriptor);
}

ssize_t writeAt(int descriptor, const void* bytes, std::size_t count, std::int64_t offset)
{
    if (refusesWrites(descriptor)) {
        struct stat status
        {};
        ::fstat(descriptor, &status);
        // On a full disk, bytes can still be overwritten.
        if (refusal == EROFS || offset + static_cast<std::int64_t>(count) > status.st_size)
            return failWith(refusal);
    }
    const std::scoped_lock lock(guard);
    const ssize_t written = ::syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    if (RecordedDisk* disk = recording; disk && written > 0 && disk->holds(descriptor))
        disk->wrote(descriptor, offset, bytes, static_cast<std::size_t>(written));
    return written;
}

ssize_t writeAtCurrentOffset(int descriptor, const void* bytes, std::size_t count)
{
    if (refusesWrites(descriptor))
        return failWith(refusal);
    RecordedDisk* disk = recording;
    // Without a recording, the write takes no lock: a write to a pipe may block, and other threads must not
    // wait for it.
    if (!disk)
        return ::syscall(SYS_write, descriptor, bytes, count);
    const std::scoped_lock lock(guard);
    const ssize_t written = ::syscall(SYS_write, descriptor, bytes, count);
    if (written > 0 && disk->holds(descriptor))
        disk->wrote(descriptor, ::lseek(descriptor, 0, SEEK_CUR) - written, bytes,
                    static_cast<std::size_t>(written));
    return written;
}

int truncateTo(int descriptor, std::int64_t size)
{
    // A full disk does not refuse this: a file that grows by it has a hole, which takes no room.
    if (refusal == EROFS && refuses(descriptor))
        return failWith(refusal);
    const std::scoped_lock lock(guard);
    const auto result = static_cast<int>(::syscall(SYS_ftruncate, descriptor, size));
    if (RecordedDisk* disk = recording; disk && result == 0 && disk->holds(descriptor))
        disk->truncated(descriptor, size);
    return result;
}

int sync(int descriptor, long call)
{
    if (refusal == EIO && refuses(descriptor))
        return failWith(refusal);
    const std::scoped_lock lock(guard);
    if (RecordedDisk* disk = recording; disk && disk->holds(descriptor)) {
        disk->synced(descriptor);
        return 0;
    }
    return skipsSyncs ? 0 : static_cast<int>(::syscall(call, descriptor));
}

int renameTo(int fromFolder, const char* from, int toFolder, const char* to, unsigned flags)
{
    const bool isBusy = refusal == EBUSY && isBelow(absolute(to), refusingFolder) && ::access(to, F_OK) == 0;
    if (isBusy || refusesNameChange(from))
        return failWith(refusal);
    const std::scoped_lock lock(guard);
    const auto result = static_cast<int>(::syscall(SYS_renameat2, fromFolder, from, toFolder, to, flags));
    if (RecordedDisk* disk = recording; disk && result == 0)
        disk->renamed(absolute(from), absolute(to), (flags & RENAME_EXCHANGE) != 0);
    return result;
}

int linkTo(int fromFolder, const char* from, int toFolder, const char* to, int flags)
{
    if (refusesNameChange(to))
        return failWith(refusal);
    const std::scoped_lock lock(guard);
    const auto result = static_cast<int>(::syscall(SYS_linkat, fromFolder, from, toFolder, to, flags));
    RecordedDisk* disk = recording;
    if (!disk || result != 0)
        return result;
    // linkat() from this folder gives a file that was opened with O_TMPFILE its first name.
    constexpr std::string_view descriptors = "/proc/self/fd/";
    if (std::string_view(from).starts_with(descriptors))
        disk->linked(std::stoi(from + descriptors.size()), absolute(to));
    else
        disk->linked(absolute(from), absolute(to));
    return result;
}

int removeName(const char* path, int flags)
{
    if (refusesNameChange(path, true))
        return failWith(refusal);
    const std::scoped_lock lock(guard);
    const auto result = static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, flags));
    if (RecordedDisk* disk = recording; disk && result == 0)
        disk->removed(absolute(path));
    return result;
}

} // namespace

} // namespace batchpeak::test

// These functions replace those of libc in this program and in the libraries that it loads. The asm labels
// are the names of their symbols: functions that are declared under these names would conflict with libc's
// headers.
#define BATCHPEAK_IN_PLACE_OF(function) __asm__(function)

extern "C" {

int batchpeakOpen(const char* path, int flags, ...) BATCHPEAK_IN_PLACE_OF("open");
int batchpeakOpen64(const char* path, int flags, ...) BATCHPEAK_IN_PLACE_OF("open64");
int batchpeakClose(int descriptor) BATCHPEAK_IN_PLACE_OF("close");
ssize_t batchpeakWrite(int descriptor, const void* bytes, std::size_t count) BATCHPEAK_IN_PLACE_OF("write");
ssize_t batchpeakPwrite(int descriptor, const void* bytes, std::size_t count, off_t offset)
    BATCHPEAK_IN_PLACE_OF("pwrite");
ssize_t batchpeakPwrite64(int descriptor, const void* bytes, std::size_t count, off_t offset)
    BATCHPEAK_IN_PLACE_OF("pwrite64");
int batchpeakFtruncate(int descriptor, off_t size) BATCHPEAK_IN_PLACE_OF("ftruncate");
int batchpeakFtruncate64(int descriptor, off_t size) BATCHPEAK_IN_PLACE_OF("ftruncate64");
int batchpeakFsync(int descriptor) BATCHPEAK_IN_PLACE_OF("fsync");
int batchpeakFdatasync(int descriptor) BATCHPEAK_IN_PLACE_OF("fdatasync");
int batchpeakFlock(int descriptor, int operation) BATCHPEAK_IN_PLACE_OF("flock");
int batchpeakRename(const char* from, const char* to) BATCHPEAK_IN_PLACE_OF("rename");
int batchpeakRenameat2(int fromFolder, const char* from, int toFolder, const char* to, unsigned flags)
    BATCHPEAK_IN_PLACE_OF("renameat2");
int batchpeakLink(const char* from, const char* to) BATCHPEAK_IN_PLACE_OF("link");
int batchpeakLinkat(int fromFolder, const char* from, int toFolder, const char* to, int flags)
    BATCHPEAK_IN_PLACE_OF("linkat");
int batchpeakUnlink(const char* path) BATCHPEAK_IN_PLACE_OF("unlink");
int batchpeakRmdir(const char* path) BATCHPEAK_IN_PLACE_OF("rmdir");
int batchpeakRemove(const char* path) BATCHPEAK_IN_PLACE_OF("remove");
int batchpeakMkdir(const char* path, mode_t mode) BATCHPEAK_IN_PLACE_OF("mkdir");

using namespace batchpeak::test;

int batchpeakOpen(const char* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return openAt(AT_FDCWD, path, flags, mode);
}

int batchpeakOpen64(const char* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return openAt(AT_FDCWD, path, flags, mode);
}

int batchpeakClose(int descriptor)
{
    const std::scoped_lock lock(guard);
    if (RecordedDisk* disk = recording)
        disk->closed(descriptor);
    return static_cast<int>(::syscall(SYS_close, descriptor));
}

ssize_t batchpeakWrite(int descriptor, const void* bytes, std::size_t count)
{
    return writeAtCurrentOffset(descriptor, bytes, count);
}

ssize_t batchpeakPwrite(int descriptor, const void* bytes, std::size_t count, off_t offset)
{
    return writeAt(descriptor, bytes, count, offset);
}

ssize_t batchpeakPwrite64(int descriptor, const void* bytes, std::size_t count, off_t offset)
{
    return writeAt(descriptor, bytes, count, offset);
}

int batchpeakFtruncate(int descriptor, off_t size)
{
    return truncateTo(descriptor, size);
}

int batchpeakFtruncate64(int descriptor, off_t size)
{
    return truncateTo(descriptor, size);
}

int batchpeakFsync(int descriptor)
{
    return sync(descriptor, SYS_fsync);
}

int batchpeakFdatasync(int descriptor)
{
    return sync(descriptor, SYS_fdatasync);
}

int batchpeakFlock(int descriptor, int operation)
{
    if (refusal == ENOLCK && refuses(descriptor))
        return failWith(refusal);
    return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
}

int batchpeakRename(const char* from, const char* to)
{
    return renameTo(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int batchpeakRenameat2(int fromFolder, const char* from, int toFolder, const char* to, unsigned flags)
{
    return renameTo(fromFolder, from, toFolder, to, flags);
}

int batchpeakLink(const char* from, const char* to)
{
    return linkTo(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int batchpeakLinkat(int fromFolder, const char* from, int toFolder, const char* to, int flags)
{
    return linkTo(fromFolder, from, toFolder, to, flags);
}

int batchpeakUnlink(const char* path)
{
    return removeName(path, 0);
}

int batchpeakRmdir(const char* path)
{
    return removeName(path, AT_REMOVEDIR);
}

int batchpeakRemove(const char* path)
{
    const int result = removeName(path, 0);
    return result != 0 && errno == EISDIR ? removeName(path, AT_REMOVEDIR) : result;
}

int batchpeakMkdir(const char* path, mode_t mode)
{
    if (refusesNameChange(path))
        return failWith(::access(path, F_OK) == 0 ? EEXIST : refusal.load());
    const std::scoped_lock lock(guard);
    const auto result = static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
    if (RecordedDisk* disk = recording; disk && result == 0)
        disk->madeFolder(absolute(path));
    return result;
}

} // extern "C"
