// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/training.h"
#include "workers/worker_conversation.h"

#include <QObject>

#include <cstdint>

namespace batchpeak::training {

/// The only worker process of a training run, from its start until it has certainly ended. It loads the
/// network, makes it ready for training, then runs one batch or writes one checkpoint at a time.
///
/// A lost worker is not replaced, since the trained state is lost with it. Its owner decides what to do next.
class TrainingWorker : public QObject
{
    Q_OBJECT

public:
    TrainingWorker(engine::DeviceSetup setup, trial::TrainingRequest request, QObject* parent = nullptr);
    void start();
    /// Runs a batch and fills in its id. Call it only between ready() and the loss or the end, for one batch
    /// at a time.
    void runBatch(trial::BatchRequest request);
    void save(const QString& path);
    /// Ends the batch under way with the outcome Cancelled, or kills the worker if it ignores the request.
    void cancel() { m_worker.cancel(); }
    /// Ends the process, whatever it is doing; ended() follows.
    void end();

    /// Returns the device as reported by the worker, without telemetry.
    const engine::DeviceSnapshot& device() const { return m_worker.device(); }
    /// Same as WorkerConversation::identity().
    const engine::DeviceIdentity& identity() const { return m_worker.identity(); }
    /// Reason that no other worker can be started on the device, set after ended(); empty if one can.
    const QString& obstacle() const { return m_obstacle; }

signals:
    void ready(const batchpeak::trial::TrainingReady& ready);
    /// Emitted if not even the parameters fit; the worker is of no further use.
    void parametersDoNotFit(qint64 neededBytes, qint64 limitBytes);
    /// Emitted as the batch under way makes progress.
    /// \param count  number of its micro-batches done so far
    void microBatchDone(qint64 count);
    void batchEnded(const batchpeak::trial::BatchResult& result);
    void saved(const batchpeak::trial::Saved& saved);
    /// Emitted if the worker crashed, stopped responding, violated the protocol, or could not do what it was
    /// asked to. No process is left; ended() follows.
    void lost(const QString& sentence);
    /// Emitted once after start(), however the worker ended.
    void ended();
    void logged(batchpeak::engine::LogLevel level, const QString& text);

private:
    void prepare(const trial::Loaded& loaded);

    engine::WorkerConversation m_worker;
    QString m_obstacle;
    trial::TrainingRequest m_request;
    /// Id of the batch or the checkpoint that was requested last.
    std::int64_t m_id = 0;
    bool m_endRequested = false;
};

} // namespace batchpeak::training
