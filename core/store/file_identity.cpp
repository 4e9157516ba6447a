// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "file_identity.h"

#include <QFile>

namespace batchpeak::store {

std::optional<struct stat> statusOf(const QString& path)
{
    struct stat status
    {};
    if (::stat(QFile::encodeName(path).constData(), &status) != 0)
        return std::nullopt;
    return status;
}

FileIdentity identityOf(const struct stat& status)
{
    return {.device = status.st_dev, .inode = status.st_ino};
}

std::optional<FileIdentity> identityOf(const QString& path)
{
    const auto status = statusOf(path);
    return status ? std::optional(identityOf(*status)) : std::nullopt;
}

} // namespace batchpeak::store
