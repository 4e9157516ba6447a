// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_attempts.h"
#include "batch_sequence.h"
#include "checkpoints/checkpoint_folder.h"
#include "growth/epoch_growth.h"
#include "step_prediction.h"
#include "step_record.h"
#include "training_event.h"
#include "training_setup.h"
#include "training_snapshot_builder.h"
#include "training_worker.h"
#include "workers/background_thread.h"

#include <QObject>

#include <memory>
#include <optional>

namespace batchpeak::training {

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
