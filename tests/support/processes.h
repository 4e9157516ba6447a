// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/files.h"

#include <QString>

#include <cerrno>
#include <csignal>

#include <sys/types.h>

/// Other processes, by their numbers.
namespace batchpeak::test {

/// Nothing where \p pid is none: kill() takes 0, which a QProcess has that ended, for all of the caller's own
/// group, ctest among them, and -1, which fork() returns where it fails, for every process of the user.
inline void sendSignal(qint64 pid, int signal)
{
    if (pid > 0)
        ::kill(static_cast<pid_t>(pid), signal);
}

/// One that ended is not, even while nobody has asked for its exit code.
inline bool isAlive(qint64 pid)
{
    const QByteArray status = readFile(QStringLiteral("/proc/%1/stat").arg(pid));
    return !status.isEmpty() && status.mid(status.lastIndexOf(')') + 2, 1) != "Z";
}

/// It ended, and somebody has asked for its exit code.
inline bool isGone(qint64 pid)
{
    return ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

} // namespace batchpeak::test
