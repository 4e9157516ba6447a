// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A program that SIGKILL does not end, as one that a call of its driver holds back. No program can be that on
// purpose: it leaves its process group, in which a child stays and is killed in its place.
//
//     batchpeak-stuck-program SECONDS

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace {

pid_t childThatSleeps(unsigned seconds)
{
    const pid_t child = fork();
    if (child == 0) {
        sleep(seconds);
        _exit(0);
    }
    return child;
}

} // namespace

int main(int argc, char** argv)
{
    const unsigned seconds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 5;
    std::signal(SIGTERM, SIG_IGN);
    childThatSleeps(seconds);
    const pid_t elsewhere = childThatSleeps(seconds);
    if (setpgid(elsewhere, elsewhere) != 0 || setpgid(0, elsewhere) != 0) {
        std::perror("batchpeak-stuck-program");
        return 1;
    }
    // No message of a worker, so that nobody waits for one.
    std::puts("");
    std::fflush(stdout);
    sleep(seconds);
    return 0;
}
