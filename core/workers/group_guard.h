// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

namespace batchpeak::engine {

/// Ensures that process groups do not outlive this program, however it ends. If the program is killed, the
/// kernel kills the leaders of its groups, but not the processes that the leaders have started.
///
/// A shell in its own session waits for the end of this program and kills the remaining groups. If the shell
/// cannot be started, the groups are not guarded.

void guardGroup(qint64 leader);
/// Stops guarding a group that has ended: its number may already belong to another process.
void forgetGroup(qint64 leader);

} // namespace batchpeak::engine
