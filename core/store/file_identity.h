// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>
#include <sys/stat.h>
#include <sys/types.h>

namespace batchpeak::store {

/// Tells one file from another, whatever they are called.
struct FileIdentity
{
    dev_t device = 0;
    ino_t inode = 0;

    bool operator==(const FileIdentity&) const = default;
};

/// What stat(2) says of the file that a path leads to, by links too; nothing where there is none.
std::optional<struct stat> statusOf(const QString& path);

FileIdentity identityOf(const struct stat& status);
/// The identity of the file that a path leads to; nothing where there is none.
std::optional<FileIdentity> identityOf(const QString& path);

} // namespace batchpeak::store
