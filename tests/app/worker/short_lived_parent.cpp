// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Starts the program that its arguments name, prints its process id, and waits to be killed. Another process
// keeps the child's standard input open, so only the kernel can end the child.
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
