// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace batchpeak::test {

inline pid_t forkSleepingChild(unsigned seconds)
{
    const pid_t child = fork();
    if (child == 0) {
        sleep(seconds);
        _exit(0);
    }
    return child;
}

/// Makes this process survive a SIGTERM or SIGKILL to its process group, like a process that is stuck in a
/// driver call. No program can ignore SIGKILL, so this process moves to another group and leaves a child in
/// the original one, which receives the signals instead.
/// \param seconds  lifetime of the child
inline void becomeStuck(unsigned seconds)
{
    forkSleepingChild(seconds);
    const pid_t elsewhere = forkSleepingChild(seconds);
    if (setpgid(elsewhere, elsewhere) != 0 || setpgid(0, elsewhere) != 0) {
        std::perror("becomeStuck");
        std::exit(1);
    }
}

} // namespace batchpeak::test
