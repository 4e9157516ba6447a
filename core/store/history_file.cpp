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
#include <sys/stat.h>
#include <unistd.h>

namespace batchpeak::store {

namespace {

/// A new folder is there after a power loss once the one that holds its name is on the disk.
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

std::optional<struct stat> statusOf(const QString& path)
{
    struct stat status
    {};
    if (::stat(QFile::encodeName(path).constData(), &status) != 0)
        return std::nullopt;
    return status;
}

// Both are beside the file itself, where the path is that of a link.
QString logOf(const QString& path)
{
    return QFileInfo(path).canonicalFilePath() + QStringLiteral("-wal");
}

QString sharedMemoryOf(const QString& path)
{
    return QFileInfo(path).canonicalFilePath() + QStringLiteral("-shm");
}

std::chrono::nanoseconds timeOf(const struct stat& status)
{
    return std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
}

FileIdentity identityFrom(const struct stat& status)
{
    return {.device = status.st_dev, .inode = status.st_ino};
}

} // namespace

std::optional<FileIdentity> identityOf(const QString& path)
{
    const auto status = statusOf(path);
    return status ? std::optional(identityFrom(*status)) : std::nullopt;
}

QStringList filesOfHistory(const QString& path)
{
    return {path, path + QStringLiteral("-wal"), path + QStringLiteral("-shm"),
            path + QStringLiteral("-journal")};
}

HistoryTrace traceOf(const QString& path)
{
    HistoryTrace trace;
    if (const auto file = statusOf(path)) {
        trace.file = identityFrom(*file);
        trace.bytes = file->st_size;
        trace.written = timeOf(*file);
    }
    if (const auto log = statusOf(logOf(path))) {
        trace.log = identityFrom(*log);
        trace.logBytes = log->st_size;
        trace.logWritten = timeOf(*log);
    }
    if (const auto shared = statusOf(sharedMemoryOf(path)))
        trace.sharedBytes = shared->st_size;
    return trace;
}

void lengthenSharedMemory(const QString& path, qint64 bytes)
{
    [[maybe_unused]] const int done = ::truncate(QFile::encodeName(sharedMemoryOf(path)).constData(), bytes);
}

bool areSameFiles(const HistoryTrace& before, const HistoryTrace& now)
{
    const bool isSameLog = !before.log || (before.log == now.log && before.logBytes <= now.logBytes);
    return before.file && before.file == now.file && isSameLog;
}

bool areUnwritten(const HistoryTrace& before, const HistoryTrace& now)
{
    return now.bytes == before.bytes && now.written == before.written && now.logBytes == before.logBytes &&
           now.logWritten == before.logWritten;
}

void makeHistoryFile(const QString& path)
{
    makeFolder(QFileInfo(path).absolutePath());
    // SQLite gives its other files the rights of the first.
    QFile file(path);
    (void)file.open(QIODevice::WriteOnly | QIODevice::NewOnly,
                    QFileDevice::ReadOwner | QFileDevice::WriteOwner);
}

void keepToOneself(const QString& path)
{
    constexpr auto ofOthers = QFileDevice::ReadGroup | QFileDevice::WriteGroup | QFileDevice::ExeGroup |
                              QFileDevice::ReadOther | QFileDevice::WriteOther | QFileDevice::ExeOther;
    // Beside the file itself, where the path is that of a link.
    const QString file = QFileInfo(path).canonicalFilePath();
    for (const QString& each : filesOfHistory(file)) {
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
