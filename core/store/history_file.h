// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

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
