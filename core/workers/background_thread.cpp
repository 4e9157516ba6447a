// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "background_thread.h"

#include "spare_thread.h"

#include <condition_variable>
#include <deque>
#include <mutex>

namespace batchpeak::engine {

struct BackgroundThread::Shared
{
    struct Asked
    {
        Task task;
        std::stop_token stop;
    };

    struct Answered
    {
        Answer answer;
        std::stop_token stop;
    };

    /// \return the next task; nothing if there is none
    std::optional<Asked> take()
    {
        if (asked.empty())
            return std::nullopt;
        Asked next = std::move(asked.front());
        asked.pop_front();
        return next;
    }

    std::mutex mutex;
    std::condition_variable isAsked;
    std::condition_variable hasEnded;
    std::deque<Asked> asked;
    /// Answers whose queued calls are yet to come, in the same order.
    std::deque<Answered> answered;
    bool isDone = false;
    /// Null once the owner is destroyed, which asks the thread to end.
    BackgroundThread* owner = nullptr;
};

BackgroundThread::BackgroundThread(std::optional<std::chrono::milliseconds> patience)
    : m_patience(patience), m_shared(std::make_shared<Shared>())
{
    m_shared->owner = this;
}

BackgroundThread::~BackgroundThread()
{
    if (!m_thread.joinable())
        return;
    m_stop.request_stop();
    // What an answer holds is destroyed without the lock, at the end of this function.
    std::deque<Shared::Answered> dropped;
    std::unique_lock lock(m_shared->mutex);
    m_shared->owner = nullptr;
    dropped.swap(m_shared->answered);
    m_shared->isAsked.notify_one();
    const auto isDone = [this] { return m_shared->isDone; };
    if (m_patience)
        m_shared->hasEnded.wait_for(lock, *m_patience, isDone);
    else
        m_shared->hasEnded.wait(lock, isDone);
    const bool hasEnded = isDone();
    lock.unlock();
    if (hasEnded)
        m_thread.join();
    else
        m_thread.detach();
}

bool BackgroundThread::makeThread()
{
    // While the event loop still has tasks to run, a new thread would run the next task at the same time.
    if (!m_thread.joinable() && m_runsHere == 0)
        m_thread = spareThread([shared = m_shared] { work(shared); });
    return m_thread.joinable();
}

void BackgroundThread::add(Task task)
{
    ++m_unanswered;
    const bool runsElsewhere = makeThread();
    {
        const std::scoped_lock lock(m_shared->mutex);
        m_shared->asked.push_back({.task = std::move(task), .stop = m_stop.get_token()});
    }
    if (runsElsewhere) {
        m_shared->isAsked.notify_one();
        return;
    }
    ++m_runsHere;
    QMetaObject::invokeMethod(
        &m_receiver, [this] { runHere(); }, Qt::QueuedConnection);
}

void BackgroundThread::runHere()
{
    --m_runsHere;
    // There is no task if it was canceled.
    if (auto next = m_shared->take())
        giveAnswer(next->task(next->stop));
}

void BackgroundThread::cancel()
{
    {
        // Before what is under way is asked to stop, after which the thread would begin the next.
        const std::scoped_lock lock(m_shared->mutex);
        m_shared->asked.clear();
    }
    m_stop.request_stop();
    m_stop = std::stop_source();
    m_unanswered = 0;
}

void BackgroundThread::work(const std::shared_ptr<Shared>& shared)
{
    std::unique_lock lock(shared->mutex);
    while (shared->owner) {
        auto next = shared->take();
        if (!next) {
            shared->isAsked.wait(lock);
            continue;
        }
        lock.unlock();
        Answer answer = next->task(next->stop);
        lock.lock();
        // The owner cannot be destroyed meanwhile, and the queued call is dropped with its receiver.
        if (BackgroundThread* const owner = shared->owner) {
            shared->answered.push_back({.answer = std::move(answer), .stop = std::move(next->stop)});
            QMetaObject::invokeMethod(
                &owner->m_receiver, [owner] { owner->takeAnswer(); }, Qt::QueuedConnection);
        }
    }
    shared->isDone = true;
    shared->hasEnded.notify_one();
}

void BackgroundThread::takeAnswer()
{
    Shared::Answered next;
    {
        const std::scoped_lock lock(m_shared->mutex);
        next = std::move(m_shared->answered.front());
        m_shared->answered.pop_front();
    }
    if (!next.stop.stop_requested())
        giveAnswer(next.answer);
}

void BackgroundThread::giveAnswer(const Answer& answer)
{
    --m_unanswered;
    // This must be the last statement: the answer may destroy this object.
    answer();
}

} // namespace batchpeak::engine
