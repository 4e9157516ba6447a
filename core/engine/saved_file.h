// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <system_error>

namespace batchpeak::engine {

/// Replaces a file whole, or makes it: whenever the program or the power ends, it holds the old bytes or the
/// new ones, and the new ones once this has returned. Permissions stay, owner and group where the system lets
/// them, and links are followed. It makes no folder.
/// \return why it was not written; empty where it was
QString replaceFile(const QString& path, const QByteArray& bytes);

/// Makes a folder and those above it that are missing, so that a power loss takes none of them.
/// \return the system's reason where it cannot be made
std::error_code makeFolder(const QString& path);

/// Returns when the disk has the contents of a file, or the names in a folder: what comes later is then later
/// there too, even when the power fails.
/// \return the system's reason where it has not: here a full disk may show that took a write before
std::error_code syncToDisk(const QString& path);

} // namespace batchpeak::engine
