// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "engine/exploration_parts.h"
#include "training_options.h"
#include "training_snapshot.h"

#include <QObject>

#include <memory>

namespace batchpeak::training {

/// One training run from a loaded config to its last step: the one state machine behind the window and the
/// terminal.
///
/// It decides which batch comes next, at which micro-batch size it is tried and tried again, and what a lost
/// worker means. It does not decide how a batch is computed (the worker), nor how anything looks.
///
/// All calls return at once; what comes of them arrives as signals. A call that makes no sense in the present
/// state does nothing.
class TrainingRun : public QObject
{
    Q_OBJECT

public:
    explicit TrainingRun(QObject* parent = nullptr);
    explicit TrainingRun(engine::ExplorationParts parts, QObject* parent = nullptr);
    /// Ends the worker, at the latest by SIGKILL.
    ~TrainingRun() override;

    const TrainingSnapshot& snapshot() const;

    /// Takes a config as the next thing to train; possible while nothing runs.
    /// \throws config::ConfigError, engine::ExplorationError where the config, the options and the devices
    ///         contradict each other
    void load(const QString& filePath, const config::ConfigContents& contents,
              const TrainingOptions& options);
    void start();
    /// Ends the run after the step under way, with a checkpoint where there is a folder for one. Asked a
    /// second time, it cancels the step.
    void stop();

signals:
    void started();
    /// Something in the snapshot is new. It may come hundreds of times a second: draw on a timer.
    void snapshotChanged(const batchpeak::training::TrainingSnapshot& snapshot);
    void deviceReady(const batchpeak::engine::DeviceSnapshot& device);
    void maximumFound(const batchpeak::training::MaximumFound& maximum);
    /// The first epoch, and each one after it.
    void epochBegan(const batchpeak::training::ScheduleEntry& entry);
    void stepDone(const batchpeak::training::StepRecord& step);
    void evaluated(const batchpeak::training::StepRecord& evaluation);
    void sizeChanged(const batchpeak::training::SizeChange& change);
    void checkpointSaved(const QString& path, qint64 step);
    /// Once for each start(), whatever the end. The snapshot holds how.
    void finished(batchpeak::training::TrainingEnd end);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace batchpeak::training
