// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <system_error>
#include <thread>
#include <utility>

namespace batchpeak::engine {

/// Creates a thread if the system allows it: limits on processes (ulimit -u, docker --pids-limit) count
/// threads too, and may be reached at any time.
///
/// The caller decides what to do without a thread.
///
/// \return the thread; it is not joinable if it could not be created
template<typename Thread = std::thread, typename Work>
Thread spareThread(Work work)
{
    try {
        return Thread(std::move(work));
    } catch (const std::system_error&) {
        return {};
    }
}

/// Returns a text for a log that says that no thread could be created.
/// \param instead  what is done without the thread, as a full sentence
QString noThreadText(const QString& instead);

} // namespace batchpeak::engine
