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

/// Exit codes of batchpeak-worker. An error line before the end says what went wrong; the code tells the
/// parent whether a fresh worker may do better.
enum ExitCode : int {
    Finished = 0,
    /// The options are wrong, the device does not exist, or the protocol or libtorch is a different one: a
    /// fresh worker does no better.
    CannotWork = 1,
    /// The device's context is lost, but the device itself may be intact: repeat in a fresh worker.
    StickyDeviceError = 42,
    /// The trial was answered, but not all of its memory was freed: continue in a fresh worker.
    MemoryLost = 43
};

using ReceivedLine = std::variant<trial::ParentMessage, trial::ProtocolError>;

/// Exchanges protocol lines between the worker and its parent.
///
/// The channel takes over standard output: text that a library prints there goes to standard error instead. A
/// separate thread reads standard input, so that a cancel is received in the middle of a step. A worker must
/// not outlive its parent: the end of standard input ends the process immediately, and so does a parent that
/// no longer reads.
class ProtocolChannel
{
public:
    /// Takes over standard output. Create the channel before anything can print.
    ProtocolChannel();
    ProtocolChannel(const ProtocolChannel&) = delete;
    ProtocolChannel& operator=(const ProtocolChannel&) = delete;

    /// Starts to read standard input, for as long as the process lives.
    /// \throws std::runtime_error if no thread can be created for it
    void startReading();
    /// Waits for the next line that is not a cancel, and returns it.
    ReceivedLine next();
    /// Whether the parent has canceled that trial or batch, or said goodbye. Thread-safe.
    bool isCancelled(std::int64_t id) const;

    /// Sends a message. Thread-safe: lines never mix.
    void send(const trial::WorkerMessage& message);

private:
    [[noreturn]] void read();
    void take(std::string_view bytes);
    void takeLine(std::string_view line);
    void startHeartbeats(double seconds);

    std::mutex m_sending;
    int m_descriptor = -1;

    /// Guards m_lines, m_cancelled and m_goodbye.
    mutable std::mutex m_receiving;
    std::condition_variable m_arrived;
    std::deque<ReceivedLine> m_lines;
    std::set<std::int64_t> m_cancelled;
    bool m_goodbye = false;

    /// Used by the reading thread alone: the beginning of a line whose end has not arrived yet, whether that
    /// line was too long to be kept, and the next member.
    std::string m_unfinished;
    bool m_skipping = false;
    /// Longest silence of the parent [ms]; -1: any.
    int m_longestSilence = -1;
};

} // namespace batchpeak::worker
