// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "inbox.h"

#include "exit_code.h"

#include <array>
#include <cerrno>
#include <thread>

#include <unistd.h>

namespace batchpeak::worker {

void Inbox::startReading()
{
    std::thread([this] {
        std::array<char, 65536> buffer{};
        for (;;) {
            const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
            if (count > 0)
                take({buffer.data(), static_cast<std::size_t>(count)});
            // Not exit(): the main thread may be within a step, and what it uses must not be destroyed.
            else if (count == 0 || errno != EINTR)
                _exit(ExitCode::Finished);
        }
    }).detach();
}

ReceivedLine Inbox::next()
{
    std::unique_lock lock(m_mutex);
    m_arrived.wait(lock, [this] { return !m_lines.empty(); });
    ReceivedLine line = std::move(m_lines.front());
    m_lines.pop_front();
    return line;
}

bool Inbox::isCancelled(std::int64_t trial) const
{
    const std::lock_guard lock(m_mutex);
    return m_goodbye || m_cancelled.contains(trial);
}

void Inbox::take(std::string_view bytes)
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

void Inbox::takeLine(std::string_view line)
{
    auto parsed = trial::parseParentMessage(line);
    const std::lock_guard lock(m_mutex);
    if (const auto* message = std::get_if<trial::ParentMessage>(&parsed)) {
        if (const auto* cancel = std::get_if<trial::Cancel>(message)) {
            m_cancelled.insert(cancel->id);
            return;
        }
        m_goodbye = m_goodbye || std::holds_alternative<trial::Bye>(*message);
    }
    m_lines.push_back(std::move(parsed));
    m_arrived.notify_one();
}

} // namespace batchpeak::worker
