// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The worker on the CPU, but for its device, which breaks down as the first argument says. A second one names
// a file that keeps later processes well.

#include "breaking_device_memory.h"
#include "worker/session.h"

#include <unistd.h>

using namespace batchpeak;

int main(int argc, char** argv)
{
    worker::ProtocolChannel channel;
    channel.startReading();
    test::BreakingDeviceMemory memory(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
    const worker::SystemClock clock;
    worker::Session session(
        channel, memory,
        {.program = "breaking-worker",
         .device = {.kind = "cpu", .totalBytes = memory.totalBytes(), .freeBytes = memory.freeBytes()}},
        clock, {});
    // As the worker's own main: its reader still uses what return would destroy.
    _exit(session.run());
}
