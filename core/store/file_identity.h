// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>
#include <sys/stat.h>
#include <sys/types.h>

namespace batchpeak::store {

/// Identifies a file, whatever its names are.
struct FileIdentity
{
    dev_t device = 0;
    ino_t inode = 0;

    bool operator==(const FileIdentity&) const = default;
};

/// Returns stat(2) of the file that a path leads to, through links too; nothing if there is none.
std::optional<struct stat> statusOf(const QString& path);

FileIdentity identityOf(const struct stat& status);
/// Returns the identity of the file that a path leads to; nothing if there is none.
std::optional<FileIdentity> identityOf(const QString& path);

} // namespace batchpeak::store
