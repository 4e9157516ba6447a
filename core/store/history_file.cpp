// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "history_file.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QStorageInfo>

#include <fcntl.h>
#include <unistd.h>

namespace batchpeak::store {

namespace {

/// Creates a folder. It survives a power failure once the folder that contains its name is synced to the
/// disk.
void makeFolder(const QString& path)
{
    if (QFileInfo::exists(path))
        return;
    const QString above = QFileInfo(path).path();
    makeFolder(above);
    QDir().mkdir(path);
    const int folder = ::open(QFile::encodeName(above).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    ::fsync(folder);
    ::close(folder);
}

/// Returns the path without links, since SQLite keeps its files beside the file itself.
QString placeOf(const QString& path)
{
    const QString place = QFileInfo(path).canonicalFilePath();
    // Qt returns an empty path for a file that does not exist.
    return place.isEmpty() ? path : place;
}

std::optional<FileTrace> fileTraceOf(const QString& path)
{
    const auto status = statusOf(path);
    if (!status)
        return std::nullopt;
    return FileTrace{.identity = identityOf(*status),
                     .bytes = status->st_size,
                     .written = std::chrono::seconds(status->st_mtim.tv_sec) +
                                std::chrono::nanoseconds(status->st_mtim.tv_nsec)};
}

} // namespace

QStringList filesOfHistory(const QString& path)
{
    return {path, path + QStringLiteral("-wal"), path + QStringLiteral("-shm"),
            path + QStringLiteral("-journal")};
}

HistoryTrace traceOf(const QString& path)
{
    const QStringList files = filesOfHistory(placeOf(path));
    const auto shared = fileTraceOf(files[2]);
    return {.file = fileTraceOf(files[0]),
            .log = fileTraceOf(files[1]),
            .sharedBytes = shared ? shared->bytes : 0};
}

void lengthenSharedMemory(const QString& path, qint64 bytes)
{
    const QString shared = filesOfHistory(placeOf(path))[2];
    [[maybe_unused]] const int done = ::truncate(QFile::encodeName(shared).constData(), bytes);
}

bool areSameFiles(const HistoryTrace& before, const HistoryTrace& now)
{
    const bool isSameLog = !before.log || (now.log && before.log->identity == now.log->identity &&
                                           before.log->bytes <= now.log->bytes);
    return before.file && now.file && before.file->identity == now.file->identity && isSameLog;
}

bool areUnwritten(const HistoryTrace& before, const HistoryTrace& now)
{
    return before.file == now.file && before.log == now.log;
}

void makeHistoryFile(const QString& path)
{
    makeFolder(QFileInfo(path).absolutePath());
    // SQLite creates its other files with the permissions of this one.
    QFile file(path);
    (void)file.open(QIODevice::WriteOnly | QIODevice::NewOnly,
                    QFileDevice::ReadOwner | QFileDevice::WriteOwner);
}

void keepToOneself(const QString& path)
{
    constexpr auto ofOthers = QFileDevice::ReadGroup | QFileDevice::WriteGroup | QFileDevice::ExeGroup |
                              QFileDevice::ReadOther | QFileDevice::WriteOther | QFileDevice::ExeOther;
    for (const QString& each : filesOfHistory(placeOf(path))) {
        const QFileInfo kept(each);
        if (kept.isFile() && kept.permissions().testAnyFlags(ofOthers))
            QFile::setPermissions(kept.filePath(), kept.permissions() & ~ofOthers);
    }
}

bool isWholeAlone(const QString& path)
{
    const QString file = QFileInfo(path).canonicalFilePath();
    return QFileInfo(file).size() > 0 && QFileInfo(file + QStringLiteral("-wal")).size() == 0 &&
           QFileInfo(file + QStringLiteral("-journal")).size() == 0;
}

bool isOnThisComputer(const QString& path)
{
    static const QSet<QByteArray> local{"ext2",    "ext3",  "ext4", "xfs",   "btrfs",    "zfs",     "f2fs",
                                        "overlay", "tmpfs", "jfs",  "ramfs", "bcachefs", "reiserfs"};
    return local.contains(QStorageInfo(QFileInfo(path).absolutePath()).fileSystemType());
}

} // namespace batchpeak::store
