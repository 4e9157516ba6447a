// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "stuck_workers.h"

#include <cerrno>
#include <csignal>

namespace batchpeak::engine {

qint64 StuckWorkers::pidOn(const QString& device)
{
    const qint64 pid = m_pids.value(device);
    // The process dies once its driver call returns.
    if (pid > 0 && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)
        m_pids.remove(device);
    return m_pids.value(device);
}

} // namespace batchpeak::engine
