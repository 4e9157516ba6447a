// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "store/file_identity.h"

#include <QByteArray>
#include <QString>

#include <optional>
#include <string>

namespace batchpeak::engine {

/// These functions read only regular files. Anything else at a path (a pipe, a device, or a kernel file whose
/// reader waits, such as /proc/kmsg) is refused without waiting.

/// The bytes of a file, and the identity of the file that was read.
struct FileBytes
{
    QByteArray bytes;
    store::FileIdentity identity;
};

/// Returns the text of a file that may be a config by its kind and size: both are checked before anything is
/// read, so that neither a pipe nor a file of weights blocks the program.
/// \throws config::ConfigError with a full sentence, prefixed with the path
std::string readTextFile(const QString& path);
/// Does the same, and also returns the identity of the file.
FileBytes readConfigBytes(const QString& path);

/// Returns the bytes of a file of any size; nothing if it does not exist.
/// \throws config::ConfigError as readTextFile()
std::optional<FileBytes> presentBytes(const QString& path);

/// Whether the path is a regular file that can be read and contains exactly that text.
bool holdsText(const QString& path, const std::string& text);

} // namespace batchpeak::engine
