// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace batchpeak::test {

inline pid_t childThatSleeps(unsigned seconds)
{
    const pid_t child = fork();
    if (child == 0) {
        sleep(seconds);
        _exit(0);
    }
    return child;
}

/// Turns this process into one that neither SIGTERM nor SIGKILL to its process group ends, like a process
/// that is stuck in a call of its driver. No program can become that on purpose: this process leaves its
/// process group, in which a child stays and is killed instead.
/// \param seconds  lifetime of the child
inline void becomeStuck(unsigned seconds)
{
    childThatSleeps(seconds);
    const pid_t elsewhere = childThatSleeps(seconds);
    if (setpgid(elsewhere, elsewhere) != 0 || setpgid(0, elsewhere) != 0) {
        std::perror("becomeStuck");
        std::exit(1);
    }
}

} // namespace batchpeak::test
