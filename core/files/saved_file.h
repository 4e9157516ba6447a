// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "store/file_identity.h"

#include <QByteArray>
#include <QString>

#include <optional>
#include <system_error>

namespace batchpeak::engine {

/// Replaces a file whole, or makes it: whenever the program or the power ends, it holds the old bytes or the
/// new ones, and the new ones once this has returned. Permissions, access list (ACL) and attributes stay,
/// owner and group where the system lets them, and links are followed. It makes no folder.
///
/// A file whose place no other can take is written in place, where the power may leave it cut: one with
/// several names, one that is mounted by itself, and one whose access list or attributes the system gives to
/// no other.
/// \return why it was not written; empty where it was
QString replaceFile(const QString& path, const QByteArray& bytes);

/// How a file gets other bytes, or has got them.
struct WayToWrite
{
    /// Why it is not written; empty where it is.
    QString problem = {};
    /// Why it is written in place, as a part of a sentence: "it has 2 names (hard links)". Empty where it is
    /// replaced whole.
    QString inPlace = {};
};

/// What replaceFile() would do now. It writes nothing, and leaves nothing behind.
WayToWrite wayToWrite(const QString& path);

/// Whether what a file holds may be lost with the power while it gets other bytes.
enum class InPlace { Never, WhereNeeded };

/// Replaces a file as above where it is still the one that is expected; any, where nothing is.
WayToWrite replaceFile(const QString& path, const QByteArray& bytes,
                       const std::optional<store::FileIdentity>& expected, InPlace inPlace);

/// Makes a folder and those above it that are missing, so that a power loss takes none of them.
/// \return the system's reason where it cannot be made
std::error_code makeFolder(const QString& path);

/// Returns when the disk has the contents of a file, or the names in a folder: what comes later is then later
/// there too, even when the power fails.
/// \return the system's reason where it has not: here a full disk may show that took a write before
std::error_code syncToDisk(const QString& path);

} // namespace batchpeak::engine
