// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <system_error>
#include <thread>
#include <utility>

namespace batchpeak::engine {

/// Makes a thread where the system has one to spare: limits of processes (ulimit -u, docker --pids-limit)
/// count threads, and may be reached at any time.
///
/// What is done without one is for whoever asks.
///
/// \return one that is not joinable where none could be made
template<typename Thread = std::thread, typename Work>
Thread spareThread(Work work)
{
    try {
        return Thread(std::move(work));
    } catch (const std::system_error&) {
        return {};
    }
}

/// That none could be made, for a log.
/// \param instead  what is done without, as a full sentence
QString noThreadText(const QString& instead);

} // namespace batchpeak::engine
