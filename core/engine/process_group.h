// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDeadlineTimer>
#include <QProcess>

#include <memory>

namespace batchpeak::engine {

/// Makes what \p process will start the leader of a process group of its own, which the kernel kills when we
/// end, and the rest of its group with it: Ctrl-C in the terminal reaches us alone, and whatever the child
/// starts can be ended with it.
void leadOwnGroup(QProcess& process);

/// \p signal to all that \p leader has started, and to itself; 0 stands for no process.
void signalGroup(const QProcess& process, qint64 leader, int signal);

/// Lets go of a process that a call of its driver holds back from dying. It is waited for by nobody, at the
/// end of this program either, as QProcess would.
void abandon(std::unique_ptr<QProcess> process);

/// Destroys what was sent SIGKILL, once it is gone; what is not gone by then is abandoned.
void destroyKilled(std::unique_ptr<QProcess> process, QDeadlineTimer until);

} // namespace batchpeak::engine
