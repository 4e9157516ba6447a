// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "telemetry_watch.h"

#include <utility>

namespace batchpeak::engine {

TelemetryWatch::TelemetryWatch(Read read, QObject* parent)
    : QObject(parent), m_read(std::move(read)), m_thread([this](const std::stop_token& stop) { work(stop); })
{}

void TelemetryWatch::look(std::vector<std::int64_t> workers)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (std::exchange(m_reads, true))
            return;
        m_workers = std::move(workers);
    }
    m_isAsked.notify_one();
}

void TelemetryWatch::work(const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    while (m_isAsked.wait(lock, stop, [this] { return m_workers.has_value(); }) && !stop.stop_requested()) {
        const std::vector<std::int64_t> workers = *std::exchange(m_workers, std::nullopt);
        lock.unlock();
        const Readings readings = m_read(workers);
        lock.lock();
        m_reads = false;
        QMetaObject::invokeMethod(
            this, [this, readings] { emit taken(readings); }, Qt::QueuedConnection);
    }
}

} // namespace batchpeak::engine
