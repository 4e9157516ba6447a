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

/// One training run from a loaded config to its last step: the one state machine behind the window and the
/// terminal.
///
/// It decides what comes before the steps and after them, and what a lost worker means. Which batch comes
/// next, at which micro-batch size, is decided by TrainingSteps; how a batch is computed, by the worker.
///
/// All calls return at once; what comes of them arrives as signals. A call that makes no sense in the present
/// state does nothing.
class TrainingRun : public QObject
{
    Q_OBJECT

public:
    using Event = TrainingEvent;

    explicit TrainingRun(engine::ExplorationParts parts = {}, QObject* parent = nullptr);
    /// Ends the worker, at the latest by SIGKILL.
    ~TrainingRun() override;

    const TrainingSnapshot& snapshot() const;

    /// Takes a config as the next thing to train; possible while nothing runs.
    /// \throws config::ConfigError, engine::ExplorationError where the config, the options and the devices
    ///         contradict each other
    void load(const QString& filePath, const config::ConfigContents& contents,
              const TrainingOptions& options);
    /// Begins the training; after an end all is trained anew.
    /// \throws engine::DeviceInUse where another run uses the device; nothing has changed then
    void start();
    /// Ends the run after the step under way, with a checkpoint where there is a folder for one. Asked a
    /// second time, it cancels the step.
    void stop();

signals:
    void occurred(const batchpeak::training::TrainingEvent& event);
    /// Something in the snapshot is new. It may come hundreds of times a second: draw on a timer.
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
    /// The newest, also after its end, since the snapshot is its; none before a config is loaded.
    std::unique_ptr<Run> m_run;
};

} // namespace batchpeak::training
