// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "telemetry_watch.h"

#include "spare_thread.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace batchpeak::engine {

struct TelemetryWatch::Shared
{
    Read read;
    std::mutex mutex;
    std::condition_variable isAsked;
    std::condition_variable hasEnded;
    std::optional<std::vector<std::int64_t>> workers;
    bool reads = false;
    bool isDone = false;
    /// Nobody any more once it is destroyed, which asks the thread to end.
    TelemetryWatch* owner = nullptr;
};

TelemetryWatch::TelemetryWatch(Read read, QObject* parent, std::chrono::milliseconds patience)
    : QObject(parent), m_shared(std::make_shared<Shared>()), m_patience(patience)
{
    m_shared->read = std::move(read);
    m_shared->owner = this;
    m_thread = spareThread([shared = m_shared] { work(shared); });
}

TelemetryWatch::~TelemetryWatch()
{
    if (!hasThread())
        return;
    std::unique_lock lock(m_shared->mutex);
    m_shared->owner = nullptr;
    m_shared->isAsked.notify_one();
    const bool hasEnded = m_shared->hasEnded.wait_for(lock, m_patience, [this] { return m_shared->isDone; });
    lock.unlock();
    if (hasEnded)
        m_thread.join();
    else
        m_thread.detach();
}

void TelemetryWatch::look(std::vector<std::int64_t> workers)
{
    {
        const std::scoped_lock lock(m_shared->mutex);
        if (std::exchange(m_shared->reads, true))
            return;
        m_shared->workers = std::move(workers);
    }
    m_shared->isAsked.notify_one();
}

void TelemetryWatch::work(const std::shared_ptr<Shared>& shared)
{
    std::unique_lock lock(shared->mutex);
    while (shared->owner) {
        shared->isAsked.wait(lock, [&] { return shared->workers || !shared->owner; });
        if (!shared->owner)
            break;
        const std::vector<std::int64_t> workers = *std::exchange(shared->workers, std::nullopt);
        lock.unlock();
        const Readings readings = shared->read(workers);
        lock.lock();
        shared->reads = false;
        // It cannot be destroyed meanwhile, and what is queued goes with it.
        if (TelemetryWatch* const owner = shared->owner)
            QMetaObject::invokeMethod(
                owner, [owner, readings] { emit owner->taken(readings); }, Qt::QueuedConnection);
    }
    shared->isDone = true;
    shared->hasEnded.notify_one();
}

} // namespace batchpeak::engine
