// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDeadlineTimer>
#include <QProcess>

#include <memory>

namespace batchpeak::engine {

/// Makes the child of \p process the leader of its own process group. The kernel kills the child when this
/// program ends, and the rest of the group is killed too. Ctrl-C in the terminal reaches this program alone,
/// and whatever the child starts can be ended with it.
///
/// Processes that the child starts in a session of their own, as launchers of several processes do
/// (torchrun), are not in that group; they are recognized by an environment variable. They are killed if the
/// child was killed or failed, since they would hold device memory that the next attempt needs. If the child
/// ended well, it left them on purpose, such as the shared connection of ssh.
///
/// Set the environment of \p process before the call.
void leadOwnGroup(QProcess& process);

/// Sends \p signal to \p leader and everything in its group; does nothing if \p leader is 0.
void signalGroup(const QProcess& process, qint64 leader, int signal);

/// Abandons a process that cannot die because of a call of its driver. Nothing waits for it, unlike with
/// QProcess, not even at the end of this program.
void abandon(std::unique_ptr<QProcess> process);

/// Destroys a process that was sent SIGKILL once it is gone; if it is not gone by \p until, it is abandoned.
void destroyKilled(std::unique_ptr<QProcess> process, QDeadlineTimer until);

} // namespace batchpeak::engine
