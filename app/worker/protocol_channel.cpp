// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "protocol_channel.h"

#include "exit_code.h"

#include <cerrno>
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace batchpeak::worker {

ProtocolChannel::ProtocolChannel()
{
    // Writing to a parent that is gone must come back as an error, not as a signal.
    std::signal(SIGPIPE, SIG_IGN);
    m_descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

void ProtocolChannel::send(const trial::WorkerMessage& message)
{
    const std::string line = toLine(message);
    const std::lock_guard lock(m_mutex);
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
