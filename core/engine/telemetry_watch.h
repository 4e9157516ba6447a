// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QObject>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace batchpeak::engine {

/// Reads devices on a thread of its own: a driver may take its time to answer, and a window must not wait
/// for it.
///
/// It does not know what is read, nor how often that is worth it. Destroying it waits for the reading under
/// way.
class TelemetryWatch : public QObject
{
    Q_OBJECT

public:
    /// Readings of the devices in their order.
    using Readings = std::vector<Telemetry>;
    /// \param read  is called on the other thread, with the worker of each device
    using Read = std::function<Readings(const std::vector<std::int64_t>& workers)>;

    explicit TelemetryWatch(Read read, QObject* parent = nullptr);

    /// Reads once more; taken() follows. Nothing happens while it still reads.
    /// \param workers  their process numbers, 0 where none runs
    void look(std::vector<std::int64_t> workers);

signals:
    /// In the event loop of the owner's thread.
    void taken(const batchpeak::engine::TelemetryWatch::Readings& readings);

private:
    void work(const std::stop_token& stop);

    Read m_read;
    std::mutex m_mutex;
    std::condition_variable_any m_isAsked;
    std::optional<std::vector<std::int64_t>> m_workers;
    bool m_reads = false;
    /// Ends before all that it uses.
    std::jthread m_thread;
};

} // namespace batchpeak::engine
