// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "file_identity.h"

#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>

namespace batchpeak::store {

/// Returns a history's file, followed by those that SQLite keeps beside it while it is open.
QStringList filesOfHistory(const QString& path);

/// State of a file by the system.
struct FileTrace
{
    FileIdentity identity;
    qint64 bytes = 0;
    /// Time of the last write, since the epoch.
    std::chrono::nanoseconds written{};

    bool operator==(const FileTrace&) const = default;
};

/// State by the system of a history's file, of the log beside it that SQLite writes first, and of the memory
/// that its programs share. The files are not opened for this: that would take SQLite's locks on them away.
struct HistoryTrace
{
    std::optional<FileTrace> file;
    std::optional<FileTrace> log;
    qint64 sharedBytes = 0;
};
HistoryTrace traceOf(const QString& path);

/// Whether the files are the same ones, by what SQLite may do to them while a program has them open: it
/// neither removes nor shortens the log then.
bool areSameFiles(const HistoryTrace& before, const HistoryTrace& now);

/// Whether nobody, including SQLite, has written into either file in between.
bool areUnwritten(const HistoryTrace& before, const HistoryTrace& now);

/// Restores the length of the shared memory: a program that accesses a mapped file beyond its end is killed
/// by SIGBUS. SQLite rebuilds the memory from zeros.
void lengthenSharedMemory(const QString& path, qint64 bytes);

/// Creates the file of a history and its folder if they do not exist, private to this user. Problems are
/// reported when the file is opened as a history.
void makeHistoryFile(const QString& path);

/// Makes a history private to the user: older programs left it, or the files that SQLite keeps beside it,
/// readable for others.
/// \param path  path of a file that is known to be a history
void keepToOneself(const QString& path);

/// Whether the file contains all of a history: no program has it open, and none was cut off while it had.
bool isWholeAlone(const QString& path);

/// Whether the file is on this computer. A file system of unknown location counts as remote.
bool isOnThisComputer(const QString& path);

} // namespace batchpeak::store
