// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace batchpeak::engine {

/// The SHA-256 of a file that is code, in hex digits. Of a Python file (.py) it speaks of all that the file
/// can import from its folder, too: the modules beside it, and the packages beside it that have an
/// __init__.py, with theirs. A Python file that has none of these beside it has the hash of its bytes alone.
///
/// A file that has not changed since is not read again, by its place, size and times. Any thread may ask.
///
/// \return empty where there is no such file
/// \throws ExplorationError  where it cannot be read to its end, as a pipe, or is too large for that
QByteArray codeHash(const QString& path);

} // namespace batchpeak::engine
