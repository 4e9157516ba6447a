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
///
/// What it starts in a session of its own, as launchers of several processes do (torchrun), is in no group of
/// ours, and is known by a variable of its environment. It is ended where the child was killed or failed,
/// since it would hold the memory of a device against whatever is tried next. Of a child that ended well it
/// was left with intent, as the connection that ssh shares.
///
/// \p process has its environment already.
void leadOwnGroup(QProcess& process);

/// \p signal to all that \p leader has started, and to itself; 0 stands for no process.
void signalGroup(const QProcess& process, qint64 leader, int signal);

/// Lets go of a process that a call of its driver holds back from dying. It is waited for by nobody, at the
/// end of this program either, as QProcess would.
void abandon(std::unique_ptr<QProcess> process);

/// Destroys what was sent SIGKILL, once it is gone; what is not gone by then is abandoned.
void destroyKilled(std::unique_ptr<QProcess> process, QDeadlineTimer until);

} // namespace batchpeak::engine
