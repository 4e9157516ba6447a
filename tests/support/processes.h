// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/files.h"

#include <QString>

#include <cerrno>
#include <csignal>

#include <sys/types.h>

/// Functions that take the process id of another process.
namespace batchpeak::test {

/// Sends a signal to a process. Does nothing unless \p pid is positive: kill() treats 0, which a QProcess
/// that has ended returns, as the whole process group of the caller, including ctest, and -1, which fork()
/// returns on failure, as every process of the user.
inline void sendSignal(qint64 pid, int signal)
{
    if (pid > 0)
        ::kill(static_cast<pid_t>(pid), signal);
}

/// Whether a process is alive. A process that has ended is not alive, even if its parent has not waited for
/// its exit code yet.
inline bool isAlive(qint64 pid)
{
    const QByteArray status = readFile(QStringLiteral("/proc/%1/stat").arg(pid));
    return !status.isEmpty() && status.mid(status.lastIndexOf(')') + 2, 1) != "Z";
}

/// Whether a process has ended and its parent has waited for its exit code.
inline bool isGone(qint64 pid)
{
    return ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

} // namespace batchpeak::test
