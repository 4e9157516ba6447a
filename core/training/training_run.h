// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "training_event.h"
#include "training_options.h"
#include "training_snapshot.h"
#include "workers/exploration_parts.h"

#include <QObject>

#include <memory>

namespace batchpeak::training {

class StepPrediction;
struct TensorCheck;
struct TrainingSetup;

/// One training run, from a loaded config to its last step: the state machine that both the window and the
/// terminal use.
///
/// It decides what happens before and after the steps, and what the loss of a worker means. TrainingSteps
/// decides which batch is next and at which micro-batch size; the worker decides how a batch is computed.
///
/// All calls return immediately; their results arrive as signals. A call that is invalid in the current state
/// does nothing.
class TrainingRun : public QObject
{
    Q_OBJECT

public:
    using Event = TrainingEvent;

    explicit TrainingRun(engine::ExplorationParts parts = {}, QObject* parent = nullptr);
    /// Ends the worker, if necessary by SIGKILL.
    ~TrainingRun() override;

    const TrainingSnapshot& snapshot() const;

    /// Loads the config to train next; ignored while a run is under way.
    /// \throws config::ConfigError, engine::ExplorationError  if the config, the options and the devices
    ///         contradict each other
    void load(const QString& filePath, const config::ConfigContents& contents,
              const TrainingOptions& options);
    /// Starts the training; after a finished run, trains again from the beginning.
    /// \throws engine::DeviceInUse  if another run uses the device; nothing has changed then
    void start();
    /// Ends the run after the step under way, with a checkpoint if there is a folder for one. A second call
    /// cancels the step.
    void stop();

signals:
    void occurred(const batchpeak::training::TrainingEvent& event);
    /// Emitted when the snapshot has changed, possibly hundreds of times a second; redraw on a timer.
    void snapshotChanged(const batchpeak::training::TrainingSnapshot& snapshot);

private:
    struct Run;

    void begin();
    void checkTensors();
    void takeCheck(const TensorCheck& check);
    void beginWork();
    void findMaximum();
    void takeMaximum(const MaximumFound& maximum);
    void startWorker();
    void makeSteps();
    void becomeReady(const trial::TrainingReady& ready);
    StepPrediction prediction();
    void loseWorker(const QString& sentence);

    void finish(TrainingEnd end, const QString& failure = {});
    QString howToContinue(const QString& failure) const;
    void reportEnd();
    void publish();
    void log(engine::LogLevel level, const QString& text);

    void setRun(std::unique_ptr<Run> run);
    TrainingState state() const { return snapshot().state; }
    bool hasEnded() const { return snapshot().end.has_value(); }
    bool isIdle() const { return state() == TrainingState::Idle; }

    engine::ExplorationParts m_parts;
    /// The newest run, kept after its end because it owns the snapshot; null before a config is loaded.
    std::unique_ptr<Run> m_run;
};

} // namespace batchpeak::training
