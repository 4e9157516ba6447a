// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_runner.h"
#include "training.h"

#include <QObject>

#include <cstdint>
#include <memory>

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
    /// Kills what still runs.
    ~TrainingWorker() override;

    void start();
    /// Only between ready() and the loss or the end, one at a time; the id is filled in here.
    void runBatch(trial::BatchRequest request);
    void save(const QString& path);
    /// Ends the batch under way with the outcome Cancelled.
    void cancel();
    /// Ends the process; ended() follows.
    void end();

    const engine::DeviceSnapshot& device() const;

signals:
    void ready(const batchpeak::trial::TrainingReady& ready);
    /// Not even the parameters fit; the worker is of no further use.
    void parametersDoNotFit(qint64 neededBytes, qint64 limitBytes);
    /// One more micro-batch of the batch under way is done.
    void microBatchDone(qint64 count);
    void batchEnded(const batchpeak::trial::BatchResult& result);
    void saved(const batchpeak::trial::Saved& saved);
    /// It crashed, fell silent, spoke nonsense, or cannot do what it was asked.
    void lost(const QString& sentence);
    void ended();
    void said(batchpeak::engine::LogLevel level, const QString& text);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace batchpeak::training
