// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "store/file_identity.h"

#include <QByteArray>
#include <QString>

#include <optional>
#include <string>

namespace batchpeak::engine {

/// Regular files are read here, and nothing else: whatever else a path leads to, a pipe, a device, or a file
/// of the kernel's own whose reader waits (/proc/kmsg), is refused and holds nothing up.

/// The bytes of a file, and which file they were of.
struct FileBytes
{
    QByteArray bytes;
    store::FileIdentity identity;
};

/// The bytes of a file that may be a config by its kind and size: both are looked at before anything is read,
/// so that neither a pipe nor a file of weights holds the program up.
/// \throws config::ConfigError as a full sentence, prefixed with the path
std::string readTextFile(const QString& path);
/// The same, with the file that it was.
FileBytes readConfigBytes(const QString& path);

/// What a file holds, of whatever size; nothing where there is none.
/// \throws config::ConfigError as readTextFile()
std::optional<FileBytes> presentBytes(const QString& path);

/// A regular file is there, can be read, and holds just that.
bool holdsText(const QString& path, const std::string& text);

} // namespace batchpeak::engine
