// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "file_identity.h"

#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>

namespace batchpeak::store {

/// A history's file, and behind it those that SQLite keeps beside it while it is open.
QStringList filesOfHistory(const QString& path);

/// What the system says of a file.
struct FileTrace
{
    FileIdentity identity;
    qint64 bytes = 0;
    /// Last write, since the epoch.
    std::chrono::nanoseconds written{};

    bool operator==(const FileTrace&) const = default;
};

/// What the system says of a history's file, of the log beside it that SQLite writes first, and of the memory
/// that its programs share. They are not opened for it: that would take from SQLite its locks on them.
struct HistoryTrace
{
    std::optional<FileTrace> file;
    std::optional<FileTrace> log;
    qint64 sharedBytes = 0;
};
HistoryTrace traceOf(const QString& path);

/// Whether the files are those that they were, as far as SQLite lets them be while a program has them open:
/// it neither removes the log then nor makes it shorter.
bool areSameFiles(const HistoryTrace& before, const HistoryTrace& now);

/// Whether nobody, SQLite included, has written into either since.
bool areUnwritten(const HistoryTrace& before, const HistoryTrace& now);

/// Gives the shared memory its length again: whoever looks beyond the end of a mapped file is ended by
/// SIGBUS, and SQLite builds it anew from zeros.
void lengthenSharedMemory(const QString& path, qint64 bytes);

/// Makes the file of a history and its folder where there are none, for this user alone. What is wrong with
/// them is said when the file is opened as a history.
void makeHistoryFile(const QString& path);

/// Older programs left a history to be read by others, or what SQLite keeps beside it.
/// \param path  of what is known to be a history
void keepToOneself(const QString& path);

/// Whether all of a history is in its file: no program has it open, or was cut off while it had.
bool isWholeAlone(const QString& path);

/// Of a file system that is not known to be on this computer, it is not believed.
bool isOnThisComputer(const QString& path);

} // namespace batchpeak::store
