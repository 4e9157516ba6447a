// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A program that is not a worker and survives SIGKILL to its process group:
//
//     batchpeak-stuck-program SECONDS

#include "stuck_process.h"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

int main(int argc, char** argv)
{
    const unsigned seconds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 5;
    batchpeak::test::becomeStuck(seconds);
    // This is no valid worker message, so the caller does not wait for one any longer.
    std::puts("{");
    std::fflush(stdout);
    sleep(seconds);
    return 0;
}
