// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "protocol_channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace batchpeak::worker {

ProtocolChannel::ProtocolChannel()
{
    // A write to a parent that is gone must fail with an error, not with a signal.
    std::signal(SIGPIPE, SIG_IGN);
    m_descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

void ProtocolChannel::startReading()
{
    try {
        std::thread([this] { read(); }).detach();
    } catch (const std::system_error&) {
        throw std::runtime_error("The system gives the worker no thread; raise the limit of processes "
                                 "(ulimit -u, docker --pids-limit).");
    }
}

void ProtocolChannel::read()
{
    std::array<char, 65536> buffer{};
    for (;;) {
        // A link that is cut reports no end.
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN};
        if (poll(&input, 1, m_longestSilence) == 0)
            _exit(ExitCode::Finished);
        const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (count > 0)
            take({buffer.data(), static_cast<std::size_t>(count)});
        // exit() is not used: the main thread may be within a step, and the objects that it uses must not be
        // destroyed.
        else if (count == 0 || errno != EINTR)
            _exit(ExitCode::Finished);
    }
}

ReceivedLine ProtocolChannel::next()
{
    std::unique_lock lock(m_receiving);
    m_arrived.wait(lock, [this] { return !m_lines.empty(); });
    ReceivedLine line = std::move(m_lines.front());
    m_lines.pop_front();
    return line;
}

bool ProtocolChannel::isCancelled(std::int64_t id) const
{
    const std::lock_guard lock(m_receiving);
    return m_goodbye || m_cancelled.contains(id);
}

void ProtocolChannel::take(std::string_view bytes)
{
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view piece = bytes.substr(0, end);
        if (!m_skipping)
            m_unfinished += piece;
        if (!m_skipping && m_unfinished.size() > trial::maxLineBytes) {
            takeLine(m_unfinished);
            m_unfinished.clear();
            m_skipping = true;
        }
        if (end == std::string_view::npos)
            return;
        if (!m_skipping)
            takeLine(m_unfinished);
        m_unfinished.clear();
        m_skipping = false;
        bytes.remove_prefix(end + 1);
    }
}

void ProtocolChannel::takeLine(std::string_view line)
{
    auto parsed = trial::parseParentMessage(line);
    const std::lock_guard lock(m_receiving);
    if (const auto* message = std::get_if<trial::ParentMessage>(&parsed)) {
        if (std::holds_alternative<trial::Heartbeat>(*message))
            return;
        if (const auto* hello = std::get_if<trial::Hello>(message);
            hello && trial::knowsHeartbeats(hello->protocol) && hello->heartbeatSeconds > 0.0)
            startHeartbeats(hello->heartbeatSeconds);
        if (const auto* cancel = std::get_if<trial::Cancel>(message)) {
            m_cancelled.insert(cancel->id);
            return;
        }
        m_goodbye = m_goodbye || std::holds_alternative<trial::Bye>(*message);
    }
    m_lines.push_back(std::move(parsed));
    m_arrived.notify_one();
}

/// Heartbeats come from a thread of their own, since a step may take minutes.
void ProtocolChannel::startHeartbeats(double seconds)
{
    if (m_longestSilence >= 0)
        return;
    constexpr double longest = 3600.0;
    const std::chrono::duration<double> pause(std::min(seconds, longest));
    m_longestSilence = static_cast<int>(std::ceil(trial::heartbeatsUntilDead * pause.count() * 1000.0));
    std::thread([this, pause] {
        for (;;) {
            std::this_thread::sleep_for(pause);
            send(trial::Heartbeat{});
        }
    }).detach();
}

void ProtocolChannel::send(const trial::WorkerMessage& message)
{
    const std::string line = toLine(message);
    const std::lock_guard lock(m_sending);
    std::string_view rest = line;
    while (!rest.empty()) {
        const ssize_t written = write(m_descriptor, rest.data(), rest.size());
        if (written > 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            _exit(ExitCode::Finished);
    }
}

} // namespace batchpeak::worker
