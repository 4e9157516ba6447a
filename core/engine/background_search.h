// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <functional>
#include <stop_token>
#include <thread>
#include <utility>

namespace batchpeak::engine {

/// Looks something up on a thread of its own: a driver that wakes its GPUs takes a second, an interpreter on
/// a network's disk some.
///
/// One search at a time. Destroying it asks the search to stop, and waits for its end.
template<typename Found>
class BackgroundSearch
{
public:
    using Search = std::function<Found(std::stop_token)>;

    /// \param tell  is called on the thread that made this
    explicit BackgroundSearch(std::function<void(const Found&)> tell) : m_tell(std::move(tell)) {}

    bool isUnderWay() const { return m_isUnderWay; }

    /// Where one is under way, that is asked to stop, nothing is told of it, and this one follows.
    void start(Search search)
    {
        if (m_isUnderWay) {
            m_next = std::move(search);
            m_thread.request_stop();
            return;
        }
        m_isUnderWay = true;
        m_thread = std::jthread([this, search = std::move(search)](const std::stop_token& token) {
            QMetaObject::invokeMethod(
                &m_owner, [this, found = search(token)] { end(found); }, Qt::QueuedConnection);
        });
    }

private:
    void end(const Found& found)
    {
        m_isUnderWay = false;
        if (m_next)
            start(std::exchange(m_next, {}));
        else
            m_tell(found);
    }

    std::function<void(const Found&)> m_tell;
    bool m_isUnderWay = false;
    Search m_next;
    /// What is still to be told goes with it.
    QObject m_owner;
    std::jthread m_thread;
};

} // namespace batchpeak::engine
