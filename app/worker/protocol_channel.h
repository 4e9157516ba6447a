// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/protocol.h"

#include <mutex>

namespace batchpeak::worker {

/// The way to the parent: standard output, taken away from everybody else. Whatever a library prints
/// there goes to standard error instead.
///
/// Make it before anything can print. Where the parent reads no more, the process ends at once.
class ProtocolChannel
{
public:
    ProtocolChannel();
    ProtocolChannel(const ProtocolChannel&) = delete;
    ProtocolChannel& operator=(const ProtocolChannel&) = delete;

    /// From any thread; one line never stands within another.
    void send(const trial::WorkerMessage& message);

private:
    std::mutex m_mutex;
    int m_descriptor = -1;
};

} // namespace batchpeak::worker
