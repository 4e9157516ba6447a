// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/device_runner.h"
#include "engine/worker_process.h"
#include "trial/training.h"

#include <QObject>
#include <QTimer>

#include <chrono>
#include <cstdint>

namespace batchpeak::training {

/// The one worker process of a training run, from its start to its certain end: says hello, loads the
/// network, makes it ready for training, then does one batch or one checkpoint at a time.
///
/// A worker that is lost is not replaced: what it has learned is lost with it. What to do next is decided by
/// its owner.
class TrainingWorker : public QObject
{
    Q_OBJECT

public:
    TrainingWorker(engine::DeviceSetup setup, trial::TrainingRequest request, QObject* parent = nullptr);
    void start();
    /// Only between ready() and the loss or the end, one at a time; the id is filled in here.
    void runBatch(trial::BatchRequest request);
    void save(const QString& path);
    /// Ends the batch under way with the outcome Cancelled, or with the worker where it heeds no cancel.
    void cancel();
    /// Ends the process, whatever it does; ended() follows.
    void end();

    /// Its telemetry is for its owner to add.
    const engine::DeviceSnapshot& device() const { return m_device; }

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
    void said(batchpeak::engine::LogLevel level, const QString& text);

private:
    enum class Stage { Off, Greeting, Loading, Preparing, Free, Batch, Saving, Ending, Ended };

    void wait(std::chrono::milliseconds limit, const QString& sentenceWhenOver);
    void waitForBatch();
    void lose(const QString& sentence);
    void workerEnded(const engine::WorkerEnd& end);

    void receive(const trial::WorkerHello& hello);
    void receive(const trial::Loaded& loaded);
    void receive(const trial::TrainingReady& ready);
    void receive(const trial::Step& step);
    void receive(const trial::BatchResult& result);
    void receive(const trial::Saved& saved);
    void receive(const trial::TrialResult& result);
    void receive(const trial::Log& log);
    void receive(const trial::WorkerError& error);
    bool isAnswer(Stage stage, std::int64_t id);
    QString cannotTrainText(const QString& why) const;

    engine::DeviceSetup m_setup;
    trial::TrainingRequest m_request;
    engine::DeviceSnapshot m_device;
    engine::WorkerProcess m_process;
    Stage m_stage = Stage::Off;
    QTimer m_wait;
    QString m_sentenceWhenOver;
    /// Of the batch or the checkpoint that was asked for last.
    std::int64_t m_id = 0;
    std::int64_t m_microBatchSize = 0;
    bool m_isCancelled = false;
    /// Why it is being killed; empty where it goes of its own accord, or was asked to.
    QString m_loss;
    bool m_endRequested = false;
};

} // namespace batchpeak::training
