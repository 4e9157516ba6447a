// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

namespace batchpeak::engine {

/// Process groups that must not outlive this program, however it ends: where it is killed, the kernel ends
/// the leaders of its groups, and not what these have started.
///
/// A shell of its own session waits for the end of this program, and kills those that are left. Where no
/// shell can be started, nothing does.

void guardGroup(qint64 leader);
/// It has ended: its number may be another one's by now.
void forgetGroup(qint64 leader);

} // namespace batchpeak::engine
