// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/protocol.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <variant>

namespace batchpeak::worker {

using ReceivedLine = std::variant<trial::ParentMessage, trial::ProtocolError>;

/// What the parent says, read by a thread of its own, so that a cancel is heard in the middle of a step,
/// and the end of standard input ends the process there too: a worker must not outlive its parent.
class Inbox
{
public:
    /// Starts to read standard input, for as long as the process lives.
    void startReading();

    /// Waits for the next line that is not a cancel.
    ReceivedLine next();
    /// The parent has cancelled that trial, or said goodbye.
    bool isCancelled(std::int64_t trial) const;

    /// A piece of the stream, however it was cut.
    void take(std::string_view bytes);

private:
    void takeLine(std::string_view line);

    mutable std::mutex m_mutex;
    std::condition_variable m_arrived;
    std::deque<ReceivedLine> m_lines;
    std::set<std::int64_t> m_cancelled;
    bool m_goodbye = false;
    std::string m_unfinished;
    /// The line was too long and is not kept; its end is awaited.
    bool m_skipping = false;
};

} // namespace batchpeak::worker
