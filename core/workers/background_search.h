// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "spare_thread.h"

#include <QObject>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace batchpeak::engine {

/// Looks something up on a thread of its own: a driver that wakes its GPUs takes a second, an interpreter on
/// a network's disk some.
///
/// One search at a time. Where the system has no thread to spare, that is made before start() returns.
/// Destroying it asks the search to stop, and waits a moment for its end; one that a
/// driver or a disk holds for longer is left to itself, and what it finds is dropped.
template<typename Found>
class BackgroundSearch
{
public:
    /// Uses nothing that its owner may destroy: it may outlive it.
    using Search = std::function<Found(std::stop_token)>;

    /// \param tell  is called on the thread that made this
    /// \param patience  with a search under way, at the end
    explicit BackgroundSearch(std::function<void(const Found&)> tell,
                              std::chrono::milliseconds patience = std::chrono::seconds(2))
        : m_tell(std::move(tell)), m_patience(patience)
    {}

    ~BackgroundSearch()
    {
        if (!m_thread.joinable())
            return;
        m_stop.request_stop();
        std::unique_lock lock(m_shared->mutex);
        m_shared->owner = nullptr;
        const bool hasEnded =
            m_shared->hasEnded.wait_for(lock, m_patience, [this] { return m_shared->isDone; });
        lock.unlock();
        if (hasEnded)
            m_thread.join();
        else
            m_thread.detach();
    }
    Q_DISABLE_COPY_MOVE(BackgroundSearch)

    bool isUnderWay() const { return m_isUnderWay; }

    /// Where one is under way, that is asked to stop, nothing is told of it, and this one follows.
    void start(Search search)
    {
        if (m_isUnderWay) {
            m_next = std::move(search);
            m_stop.request_stop();
            return;
        }
        m_isUnderWay = true;
        // The last one has told what it found, and is at its end.
        if (m_thread.joinable())
            m_thread.join();
        m_stop = std::stop_source();
        m_shared = std::make_shared<Shared>();
        m_shared->owner = this;
        const auto workHere = [shared = m_shared, search = std::move(search), token = m_stop.get_token()] {
            work(shared, search, token);
        };
        m_thread = spareThread(workHere);
        if (!m_thread.joinable())
            workHere();
    }

private:
    /// What the thread uses, which may outlive this.
    struct Shared
    {
        std::mutex mutex;
        std::condition_variable hasEnded;
        bool isDone = false;
        /// Nobody any more once it is destroyed.
        BackgroundSearch* owner = nullptr;
    };

    static void work(const std::shared_ptr<Shared>& shared, const Search& search,
                     const std::stop_token& token)
    {
        const Found found = search(token);
        const std::scoped_lock lock(shared->mutex);
        // It cannot be destroyed meanwhile, and what is queued goes with it.
        if (BackgroundSearch* const owner = shared->owner)
            QMetaObject::invokeMethod(
                &owner->m_receiver, [owner, found] { owner->end(found); }, Qt::QueuedConnection);
        shared->isDone = true;
        shared->hasEnded.notify_one();
    }

    void end(const Found& found)
    {
        m_isUnderWay = false;
        if (m_next)
            start(std::exchange(m_next, {}));
        else
            m_tell(found);
    }

    std::function<void(const Found&)> m_tell;
    std::chrono::milliseconds m_patience;
    bool m_isUnderWay = false;
    Search m_next;
    /// What is still to be told goes with it.
    QObject m_receiver;
    std::shared_ptr<Shared> m_shared;
    std::stop_source m_stop{std::nostopstate};
    std::thread m_thread;
};

} // namespace batchpeak::engine
