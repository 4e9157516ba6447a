// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Prints in every way that a library may use, before and between messages of the protocol.
#include "worker/protocol_channel.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace batchpeak;

int main()
{
    worker::ProtocolChannel channel;
    std::puts("printed by stdio");
    channel.send(trial::WorkerHello{});
    std::cout << "printed by a stream" << std::endl;
    if (std::system("echo printed by a child") != 0)
        return 1;
    channel.send(trial::Log{.text = "end"});
    return 0;
}
