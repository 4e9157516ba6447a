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

/// How batchpeak-worker ends. What went wrong is said in an error line before; the code tells the
/// parent whether a fresh worker may do better.
enum ExitCode : int {
    Finished = 0,
    /// Wrong options, no such device, another protocol or another libtorch: a fresh worker does no better.
    CannotWork = 1,
    /// The device's context is lost, but the device itself may be well: repeat in a fresh worker.
    StickyDeviceError = 42,
    /// The trial was answered, but not all of its memory came back: go on in a fresh worker.
    MemoryLost = 43
};

using ReceivedLine = std::variant<trial::ParentMessage, trial::ProtocolError>;

/// The lines between the worker and its parent.
///
/// Standard output is taken away from everybody else: whatever a library prints there goes to standard error
/// instead. Standard input is read by a thread of its own, so that a cancel is heard in the middle of a step.
/// A worker must not outlive its parent: the end of standard input ends the process there and then, and so
/// does a parent that reads no more.
class ProtocolChannel
{
public:
    /// Takes standard output: before anything can print.
    ProtocolChannel();
    ProtocolChannel(const ProtocolChannel&) = delete;
    ProtocolChannel& operator=(const ProtocolChannel&) = delete;

    /// Starts to read standard input, for as long as the process lives.
    /// \throws std::runtime_error where no thread can be made for it
    void startReading();
    /// Waits for the next line that is not a cancel.
    ReceivedLine next();
    /// The parent has canceled that trial or batch, or said goodbye. From any thread.
    bool isCancelled(std::int64_t id) const;

    /// From any thread; one line never stands within another.
    void send(const trial::WorkerMessage& message);

private:
    [[noreturn]] void read();
    void take(std::string_view bytes);
    void takeLine(std::string_view line);

    std::mutex m_sending;
    int m_descriptor = -1;

    /// Of all below.
    mutable std::mutex m_receiving;
    std::condition_variable m_arrived;
    std::deque<ReceivedLine> m_lines;
    std::set<std::int64_t> m_cancelled;
    bool m_goodbye = false;

    /// The reading thread's own: the begin of a line whose end has not come yet, and whether that line was
    /// too long to be kept.
    std::string m_unfinished;
    bool m_skipping = false;
};

} // namespace batchpeak::worker
