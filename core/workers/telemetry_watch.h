// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_state.h"

#include <QObject>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace batchpeak::engine {

/// Reads devices on a thread of its own: a driver may take its time to answer, and a window must not wait
/// for it.
///
/// Where the system has no thread to spare, nothing is read. It does not know what is read, nor how often
/// that is worth it. Destroying it waits a moment for the reading under way; one that a driver holds for
/// longer, as it does where it holds a worker, is left to itself.
class TelemetryWatch : public QObject
{
    Q_OBJECT

public:
    /// Readings of the devices in their order.
    using Readings = std::vector<Telemetry>;
    /// \param read  is called on the other thread, with the worker of each device
    using Read = std::function<Readings(const std::vector<std::int64_t>& workers)>;

    /// \param patience  with a reading under way, at the end
    explicit TelemetryWatch(Read read, QObject* parent = nullptr,
                            std::chrono::milliseconds patience = std::chrono::seconds(2));
    ~TelemetryWatch() override;

    bool hasThread() const { return m_thread.joinable(); }
    /// Reads once more; taken() follows. Nothing happens while it still reads.
    /// \param workers  their process numbers, 0 where none runs
    void look(std::vector<std::int64_t> workers);

signals:
    /// In the event loop of the owner's thread.
    void taken(const batchpeak::engine::TelemetryWatch::Readings& readings);

private:
    /// What the thread uses, which may outlive this.
    struct Shared;
    static void work(const std::shared_ptr<Shared>& shared);

    std::shared_ptr<Shared> m_shared;
    std::chrono::milliseconds m_patience;
    std::thread m_thread;
};

} // namespace batchpeak::engine
