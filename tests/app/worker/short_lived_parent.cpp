// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Starts the program that its arguments name, tells its process id, and waits to be killed: a parent that
// keeps the child's standard input open with another process, so that only the kernel can end the child.
#include <cstdio>

#include <unistd.h>

int main(int argc, char** argv)
{
    if (argc < 2)
        return 1;
    const pid_t child = fork();
    if (child == 0) {
        execv(argv[1], argv + 1);
        _exit(1);
    }
    std::fprintf(stderr, "child %d\n", static_cast<int>(child));
    pause();
    return 0;
}
