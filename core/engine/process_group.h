// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

class QProcess;

namespace batchpeak::engine {

/// Makes what \p process will start the leader of a process group of its own, which the kernel kills when we
/// end: Ctrl-C in the terminal reaches us alone, and whatever the child starts can be ended with it.
void leadOwnGroup(QProcess& process);

/// \p signal to all that \p leader has started, and to itself; 0 stands for no process.
void signalGroup(const QProcess& process, qint64 leader, int signal);

} // namespace batchpeak::engine
