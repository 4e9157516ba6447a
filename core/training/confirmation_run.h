// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_sequence.h"
#include "config/config_document.h"
#include "confirmation_schedule.h"
#include "confirmation_snapshot.h"
#include "training_options.h"
#include "trial/training.h"
#include "workers/exploration_parts.h"
#include "workers/worker_conversation.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

namespace batchpeak::training {

class TrainingWorker;

/// Default number of timed full steps of each size: enough that the mean of the steps is known to well below
/// the 2 % within which trials and training should agree, on a device whose steps vary by a few percent.
inline constexpr int defaultConfirmationSteps = 20;

/// Runs full optimizer steps at the size that an exploration recommends and at its runner-up, interleaved in
/// one fresh process, to compare them with the predictions of the trials for the config's batch.
///
/// It only runs and times the steps; it does not predict, and does not change the recommendation.
class ConfirmationRun : public QObject
{
    Q_OBJECT

public:
    explicit ConfirmationRun(engine::ExplorationParts parts = {}, QObject* parent = nullptr);
    ~ConfirmationRun() override;

    const ConfirmationSnapshot& snapshot() const { return m_snapshot; }

    /// \param steps  number of timed full steps of each size
    /// \param sizes  recommended size and runner-up, from engine::predictedSizes()
    /// \param explored  device of the trials, as far as it is known
    /// \throws config::ConfigError, engine::ExplorationError  like TrainingRun::load
    /// \throws engine::DeviceInUse  if another run uses the device
    void start(const QString& filePath, const config::ConfigContents& contents,
               const TrainingOptions& options, const std::vector<engine::PredictedSize>& sizes, int steps,
               const engine::DeviceIdentity& explored = {});
    /// Ends the run after the step under way. A second call cancels the step.
    void stop();

signals:
    void snapshotChanged(const batchpeak::training::ConfirmationSnapshot& snapshot);
    /// Emitted once for each start().
    void finished();
    void logged(batchpeak::engine::LogLevel level, const QString& text);

private:
    void launch();
    void takeReady(const trial::TrainingReady& ready);
    void runNext();
    trial::BatchRequest requestOf(std::size_t place) const;
    void takeBatch(const trial::BatchResult& result);
    void takeStep(std::size_t place, const trial::BatchResult& result);
    void takeOutOfMemory(std::size_t place, const trial::BatchResult& result);
    void fail(const QString& sentence);
    void takeEnd();
    void publish();
    bool hasMoreToDo() const { return !m_isStopping && m_snapshot.failure.isEmpty() && m_schedule.next(); }

    const engine::ExplorationParts m_parts;
    ConfirmationSnapshot m_snapshot;
    /// Held from the start to the end; it outlives the worker.
    engine::DeviceLease::Hold m_lease;
    engine::DeviceSetup m_setup;
    trial::TrainingRequest m_request;
    engine::DeviceIdentity m_explored;
    ConfirmationSchedule m_schedule;
    /// Durations of the timed steps, for each of the snapshot's sizes.
    std::vector<std::vector<double>> m_seconds;
    std::unique_ptr<TrainingWorker, void (*)(TrainingWorker*)> m_worker;
    bool m_isStopping = false;
    bool m_isReady = false;
    BatchSequence m_batches{0, {}};
};

} // namespace batchpeak::training
