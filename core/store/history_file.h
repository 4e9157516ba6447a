// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>
#include <sys/types.h>

namespace batchpeak::store {

/// Tells one file from another, whatever they are called.
struct FileIdentity
{
    dev_t device = 0;
    ino_t inode = 0;

    bool operator==(const FileIdentity&) const = default;
};

/// Of the file that a path leads to, by links too; nothing where there is none.
std::optional<FileIdentity> identityOf(const QString& path);

/// A history's file, and behind it those that SQLite keeps beside it while it is open.
QStringList filesOfHistory(const QString& path);

/// What the system says of a history's file, of the log beside it that SQLite writes first, and of the memory
/// that its programs share. They are not opened for it: that would take from SQLite its locks on them.
struct HistoryTrace
{
    std::optional<FileIdentity> file;
    qint64 bytes = 0;
    /// When it was written last, since the epoch.
    std::chrono::nanoseconds written{};
    std::optional<FileIdentity> log;
    qint64 logBytes = 0;
    std::chrono::nanoseconds logWritten{};
    qint64 sharedBytes = 0;

    bool operator==(const HistoryTrace&) const = default;
};
HistoryTrace traceOf(const QString& path);

/// Whether the files are those that they were, as far as SQLite lets them be while a program has them open:
/// it neither removes the log then nor makes it shorter.
bool areSameFiles(const HistoryTrace& before, const HistoryTrace& now);

/// Whether nobody has written into either of them since, SQLite itself among others.
bool areUnwritten(const HistoryTrace& before, const HistoryTrace& now);

/// Gives the memory that programs share the length again that it had: what is missing of it would end whoever
/// looks there, by SIGBUS. Of zeros alone SQLite makes it anew.
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
