// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "process_group.h"

#include <QProcess>

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace batchpeak::engine {

namespace {

// Runs in the child between fork and exec, so only async-signal-safe calls are allowed.
void bindToParent(pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have died before the line above could notice.
    if (getppid() != parent)
        _exit(1);
}

} // namespace

void leadOwnGroup(QProcess& process)
{
    process.setChildProcessModifier([parent = getpid()] { bindToParent(parent); });
}

void signalGroup(const QProcess& process, qint64 leader, int signal)
{
    if (leader <= 0)
        return;
    // There is no such group yet while the child stands between fork and setpgid.
    const auto group = static_cast<pid_t>(leader);
    if (::kill(-group, signal) != 0 && process.state() != QProcess::NotRunning)
        ::kill(group, signal);
}

} // namespace batchpeak::engine
