// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace batchpeak::engine {

/// Returns the SHA-256 of a code file, in hexadecimal digits. For a Python file (.py), it includes everything
/// that the file can import from its folder: the modules beside it, and the packages beside it that have an
/// __init__.py, with everything in them. A Python file without any of these has the hash of its own bytes.
///
/// A file whose path, size and times have not changed is not read again. The function is thread-safe.
///
/// \return empty if there is no such file
/// \throws ExplorationError if it cannot be read to its end, as a pipe, or is too large for that
QByteArray codeHash(const QString& path);

} // namespace batchpeak::engine
