// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_sequence.h"
#include "checkpoints/checkpoint_folder.h"
#include "growth/epoch_growth.h"
#include "micro_batch_sizes.h"
#include "step_prediction.h"
#include "step_record.h"
#include "training_event.h"
#include "training_setup.h"
#include "training_snapshot.h"
#include "training_snapshot_builder.h"
#include "training_worker.h"
#include "workers/background_thread.h"

#include <QObject>

#include <cstdint>
#include <memory>
#include <optional>

namespace batchpeak::training {

/// Retries a batch on a worker until it is done, with smaller micro-batches if necessary. Each attempt has
/// the same samples, so nothing is lost and the optimization is unaffected.
///
/// It does not decide which batch is next, or what happens if a batch cannot be done.
class BatchAttempts : public QObject
{
    Q_OBJECT

public:
    /// \param worker  outlives this object
    BatchAttempts(TrainingWorker& worker, const MicroBatchSizes& sizes);

    const MicroBatchSizes& sizes() const { return m_sizes; }
    /// Changes the micro-batch size of training, from the next batch on.
    void setSize(std::int64_t size) { m_sizes.setTraining(size); }
    bool isUnderWay() const { return m_batch.has_value(); }
    /// Number of micro-batches of the batch under way; 0 if there is none.
    std::int64_t microBatches() const;
    /// \param request  batch to run; its micro-batch size is filled in here
    void run(trial::BatchRequest request);

signals:
    /// \param shrinks  whether memory is short, so that the next batch is tried in smaller micro-batches
    void done(const batchpeak::training::BatchUnderWay& batch, const batchpeak::trial::BatchResult& result,
              bool shrinks);
    /// Emitted when memory ran out. If possible, the batch is tried again in smaller micro-batches. halved(),
    /// doesNotFit() or, if the device did not recover, failed() follows.
    void ranOutOfMemory();
    /// Emitted when the micro-batch size was halved. The receiver, which counts the steps, fills in the step
    /// of \p change.
    void halved(const batchpeak::training::SizeChange& change, const batchpeak::trial::BatchResult& result);
    void doesNotFit(batchpeak::model::Phase phase, const batchpeak::trial::BatchResult& result);
    void cancelled();
    /// Emitted when the worker could not do the batch at any size, or cannot continue at all.
    void failed(const batchpeak::trial::BatchRequest& batch, const batchpeak::trial::BatchResult& result);

private:
    void attempt(const BatchUnderWay& batch);
    void takeResult(const trial::BatchResult& result);
    void takeOutOfMemory(BatchUnderWay batch, const trial::BatchResult& result);

    TrainingWorker& m_worker;
    MicroBatchSizes m_sizes;
    std::optional<BatchUnderWay> m_batch;
};

/// Runs the steps of a training while its worker lives: one step after another, the growth at each epoch,
/// evaluations and checkpoints when they are due, and a last checkpoint at the end.
///
/// TrainingRun decides what happens before the first step, and what happens to the worker.
class TrainingSteps : public QObject
{
    Q_OBJECT

public:
    /// \param builder, worker  outlive this object
    /// \param growth  null if the batch does not grow
    TrainingSteps(const TrainingSetup& setup, TrainingSnapshotBuilder& builder, TrainingWorker& worker,
                  std::unique_ptr<EpochGrowth> growth);

    /// \param prediction  prediction of the training's steps
    void begin(const trial::TrainingReady& ready, StepPrediction prediction);
    /// Ends the training after the step under way. A second call cancels that step.
    void stop();
    bool isCancelled() const { return m_cancelRequested; }

signals:
    /// Emitted when the snapshot has changed.
    void changed();
    void occurred(const batchpeak::training::TrainingEvent& event);
    /// Emitted when nothing more will be done.
    /// \param failure  a full sentence; empty if all went well
    void concluded(batchpeak::training::TrainingEnd end, const QString& failure);

private:
    struct Conclusion
    {
        TrainingEnd end = TrainingEnd::Failed;
        QString failure;
    };

    void connectAttempts();
    void connectGrowth();
    void proceed();
    void beginEpoch();
    void grow(const ScheduleEntry& entry, std::int64_t limit);
    void enterEpoch(ScheduleEntry entry);
    void tryBatch(const trial::BatchRequest& request);
    void takeBatch(const BatchUnderWay& batch, const trial::BatchResult& result, bool shrinks);
    void takeStep(const StepRecord& step);
    bool isEvaluatedNow() const;
    void takeEvaluation(const StepRecord& batch);
    void misfit(model::Phase phase, const trial::BatchResult& result);
    void tellHalving(SizeChange change, const trial::BatchResult& result);

    void save();
    void endSave(const trial::Saved& saved);
    void takeHash(const QString& hash);
    void announceCheckpoint();
    void failSave(const QString& why);
    void conclude(TrainingEnd end, const QString& failure = {});

    void log(engine::LogLevel level, const QString& text);
    std::int64_t stepsDone() const { return m_sequence.position().step; }
    bool isTraining() const { return m_builder.snapshot().state == TrainingState::Training; }

    const TrainingSetup& m_setup;
    TrainingSnapshotBuilder& m_builder;
    TrainingWorker& m_worker;
    std::unique_ptr<EpochGrowth> m_growth;
    BatchAttempts m_attempts;
    BatchSequence m_sequence;
    EvaluationRound m_evaluation;
    StepPrediction m_prediction;
    TrainingCheckpoints m_checkpoints;
    std::int64_t m_tokensPerSample = 0;
    /// Samples of one optimizer step.
    std::int64_t m_batchSize;
    bool m_holdsOut = false;
    bool m_evaluationIsDue = false;
    bool m_stopRequested = false;
    bool m_cancelRequested = false;
    bool m_hasDiverged = false;
    /// Whether the tensors of a written checkpoint are being hashed.
    bool m_isHashing = false;
    /// Conclusion to report once the checkpoint under way is written.
    std::optional<Conclusion> m_conclusion;
    engine::BackgroundThread m_hashing;
};

} // namespace batchpeak::training
