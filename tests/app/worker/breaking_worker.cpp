// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The worker on the CPU with a device that breaks down as the first argument specifies. The second argument
// names a file; if it exists, the device does not break down.

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
    // As in the worker's own main(), the reader thread still uses objects that return would destroy.
    _exit(session.run());
}
