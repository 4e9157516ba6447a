// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "store/file_identity.h"

#include <QByteArray>
#include <QString>

#include <optional>
#include <system_error>

namespace batchpeak::engine {

/// Replaces a file as a whole, or creates it: whenever the program or the power fails, it has the old bytes
/// or the new ones, and the new ones once this has returned. Permissions, access list (ACL) and attributes
/// are kept, owner and group if the system allows it, and links are followed. It does not create folders.
///
/// A file that cannot be replaced by another one is written in place, and a power failure may then leave it
/// truncated: one with several names, one that is mounted by itself, and one whose access list or attributes
/// the system does not give to another file.
/// \return why it was not written; empty if it was
QString replaceFile(const QString& path, const QByteArray& bytes);

/// How a file is written, or was written.
struct WayToWrite
{
    /// Why it is not written; empty if it is.
    QString problem = {};
    /// Why it is written in place, as a part of a sentence: "it has 2 names (hard links)". Empty if it is
    /// replaced as a whole.
    QString inPlace = {};
};

/// Returns what replaceFile() would do now. It writes nothing, and leaves nothing behind.
WayToWrite wayToWrite(const QString& path);

/// Whether a power failure may destroy the contents of a file while it is written.
enum class InPlace { Never, WhereNeeded };

/// Replaces a file as above if it is still \p expected; any file if \p expected is empty.
WayToWrite replaceFile(const QString& path, const QByteArray& bytes,
                       const std::optional<store::FileIdentity>& expected, InPlace inPlace);

/// Creates a folder and its missing parents, so that a power failure removes none of them.
/// \return the system's reason if it cannot be created
std::error_code makeFolder(const QString& path);

/// Returns when the contents of a file, or the names in a folder, are on the disk: later changes are then
/// later on the disk too, even if the power fails.
/// \return the system's reason if they are not on the disk: a full disk that accepted a write before may
///         report it here
std::error_code syncToDisk(const QString& path);

} // namespace batchpeak::engine
