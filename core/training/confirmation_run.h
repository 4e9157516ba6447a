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

/// Timed full steps of each size, where nobody says how many: enough that the mean of the steps is known to
/// well below the 2 % that trials and training should agree within, on a device whose steps vary by some
/// percent.
inline constexpr int defaultConfirmationSteps = 20;

/// Full optimizer steps at the size that an exploration recommends and at its runner-up, in turn in one fresh
/// process, beside what the trials predict for the config's batch.
///
/// It runs and times them; it neither predicts nor changes what is recommended.
class ConfirmationRun : public QObject
{
    Q_OBJECT

public:
    explicit ConfirmationRun(engine::ExplorationParts parts = {}, QObject* parent = nullptr);
    ~ConfirmationRun() override;

    const ConfirmationSnapshot& snapshot() const { return m_snapshot; }

    /// \param steps  timed full steps of each size
    /// \param sizes  recommended and runner-up, as of engine::predictedSizes()
    /// \param explored  the device of the trials, as far as it is known
    /// \throws config::ConfigError, engine::ExplorationError as TrainingRun::load
    /// \throws engine::DeviceInUse where another run uses the device
    void start(const QString& filePath, const config::ConfigContents& contents,
               const TrainingOptions& options, const std::vector<engine::PredictedSize>& sizes, int steps,
               const engine::DeviceIdentity& explored = {});
    /// Ends after the step under way. Asked a second time, it cancels the step.
    void stop();

signals:
    void snapshotChanged(const batchpeak::training::ConfirmationSnapshot& snapshot);
    /// Once for each start().
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
    /// From the start to the end; it outlives the worker.
    engine::DeviceLease::Hold m_lease;
    engine::DeviceSetup m_setup;
    trial::TrainingRequest m_request;
    engine::DeviceIdentity m_explored;
    ConfirmationSchedule m_schedule;
    /// Of the timed steps, for each of the snapshot's sizes.
    std::vector<std::vector<double>> m_seconds;
    std::unique_ptr<TrainingWorker, void (*)(TrainingWorker*)> m_worker;
    bool m_isStopping = false;
    bool m_isReady = false;
    BatchSequence m_batches{0, {}};
};

} // namespace batchpeak::training
