// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_sequence.h"
#include "evaluation_round.h"
#include "micro_batch_sizes.h"
#include "step_record.h"
#include "training_book.h"
#include "training_setup.h"
#include "training_worker.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>

namespace batchpeak::training {

/// One run through a training's states, from start() to its one end. A second run is a second object, so that
/// nothing of the first can reach into it.
class TrainingCourse : public QObject
{
    Q_OBJECT

public:
    explicit TrainingCourse(TrainingSetup setup, QObject* parent = nullptr);

    const TrainingSnapshot& snapshot() const { return m_book.snapshot(); }
    bool hasEnded() const { return snapshot().end.has_value(); }

    void start();
    void stop();

signals:
    void snapshotChanged(const batchpeak::training::TrainingSnapshot& snapshot);
    void deviceReady(const batchpeak::engine::DeviceSnapshot& device);
    void epochBegan(const batchpeak::training::ScheduleEntry& entry);
    void stepDone(const batchpeak::training::StepRecord& step);
    void evaluated(const batchpeak::training::StepRecord& evaluation);
    void sizeChanged(const batchpeak::training::SizeChange& change);
    void finished(batchpeak::training::TrainingEnd end);

private:
    void startWorker();
    void becomeReady(const trial::TrainingReady& ready);
    void proceed();
    void beginEpoch();
    void enterEpoch(ScheduleEntry entry);
    void tryBatch(trial::BatchRequest request);
    void attempt(const BatchUnderWay& batch);
    void endBatch(const trial::BatchResult& result);
    void takeStep(const BatchUnderWay& batch, const trial::BatchResult& result);
    void takeEvaluation(const BatchUnderWay& batch, const trial::BatchResult& result);
    void runOutOfMemory(BatchUnderWay batch, const trial::BatchResult& result);
    void loseWorker(const QString& sentence);

    void finish(TrainingEnd end, const QString& failure = {});
    void reportEnd();
    void publish();
    SizeChange changeTo(const trial::BatchRequest& request, SizeChange::Reason reason) const;
    void tellChange(const SizeChange& change, const trial::BatchResult& result);
    TrainingState state() const { return snapshot().state; }
    std::int64_t nextStep() const { return m_sequence.position().step + 1; }

    TrainingSetup m_setup;
    TrainingBook m_book;
    MicroBatchSizes m_sizes;
    BatchSequence m_sequence;
    EvaluationRound m_evaluation;
    std::unique_ptr<TrainingWorker> m_worker;
    trial::TrainingReady m_ready;
    /// Of one optimizer step.
    std::int64_t m_batchSize;
    std::optional<BatchUnderWay> m_batch;
    bool m_evaluationIsDue = false;
    bool m_stopRequested = false;
    bool m_cancelRequested = false;
    bool m_hasDiverged = false;
    TrainingEnd m_end = TrainingEnd::Failed;
    QElapsedTimer m_clock;
    QTimer m_tick;
};

} // namespace batchpeak::training
