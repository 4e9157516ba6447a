// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/training.h"
#include "workers/worker_conversation.h"

#include <QObject>

#include <cstdint>

namespace batchpeak::training {

/// The one worker process of a training run, from its start to its certain end: loads the network, makes it
/// ready for training, then does one batch or one checkpoint at a time.
///
/// A worker that is lost is not replaced: what it has learned is lost with it. What to do next is decided by
/// its owner.
class TrainingWorker : public QObject
{
    Q_OBJECT

public:
    TrainingWorker(engine::DeviceSetup setup, trial::TrainingRequest request, QObject* parent = nullptr);
    void start();
    /// Runs a batch; only between ready() and the loss or the end, one at a time; the id is filled in here.
    void runBatch(trial::BatchRequest request);
    void save(const QString& path);
    /// Ends the batch under way with the outcome Cancelled, or with the worker where it heeds no cancel.
    void cancel() { m_worker.cancel(); }
    /// Ends the process, whatever it does; ended() follows.
    void end();

    /// The device as the worker tells it, which is without telemetry.
    const engine::DeviceSnapshot& device() const { return m_worker.device(); }
    /// As of WorkerConversation.
    const engine::DeviceIdentity& identity() const { return m_worker.identity(); }
    /// After ended(): why no other worker can be started on the device; empty where one can.
    const QString& obstacle() const { return m_obstacle; }

signals:
    void ready(const batchpeak::trial::TrainingReady& ready);
    /// Not even the parameters fit; the worker is of no further use.
    void parametersDoNotFit(qint64 neededBytes, qint64 limitBytes);
    /// One more micro-batch of the batch under way is done.
    void microBatchDone(qint64 count);
    void batchEnded(const batchpeak::trial::BatchResult& result);
    void saved(const batchpeak::trial::Saved& saved);
    /// It crashed, fell silent, spoke nonsense, or cannot do what it was asked. No process is left; ended()
    /// follows.
    void lost(const QString& sentence);
    /// Once after start(), whatever the end.
    void ended();
    void logged(batchpeak::engine::LogLevel level, const QString& text);

private:
    void prepare(const trial::Loaded& loaded);

    engine::WorkerConversation m_worker;
    QString m_obstacle;
    trial::TrainingRequest m_request;
    /// The id of the batch or the checkpoint that was asked for last.
    std::int64_t m_id = 0;
    bool m_endRequested = false;
};

} // namespace batchpeak::training
