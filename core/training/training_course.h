// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "maximum_search.h"
#include "training_setup.h"
#include "training_snapshot_builder.h"
#include "training_steps.h"
#include "training_worker.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>

namespace batchpeak::training {

/// One run through a training's states, from start() to its one end. A second run is a second object, so that
/// nothing of the first can reach into it.
class TrainingCourse : public QObject
{
    Q_OBJECT

public:
    explicit TrainingCourse(TrainingSetup setup, QObject* parent = nullptr);

    const TrainingSnapshot& snapshot() const { return m_builder.snapshot(); }
    bool hasEnded() const { return snapshot().end.has_value(); }

    void start();
    void stop();

signals:
    void snapshotChanged(const batchpeak::training::TrainingSnapshot& snapshot);
    void deviceReady(const batchpeak::engine::DeviceSnapshot& device);
    void maximumFound(const batchpeak::training::MaximumFound& maximum);
    void epochBegan(const batchpeak::training::ScheduleEntry& entry);
    void stepDone(const batchpeak::training::StepRecord& step);
    void evaluated(const batchpeak::training::StepRecord& evaluation);
    void sizeChanged(const batchpeak::training::SizeChange& change);
    void checkpointSaved(const QString& path, qint64 step);
    void finished(batchpeak::training::TrainingEnd end);

private:
    void findMaximum();
    void takeMaximum(const MaximumFound& maximum);
    void startWorker();
    void makeSteps();
    void becomeReady(const trial::TrainingReady& ready);
    void loseWorker(const QString& sentence);

    void finish(TrainingEnd end, const QString& failure = {});
    QString howToGoOn() const;
    void reportEnd();
    void publish();
    void say(engine::LogLevel level, const QString& text);
    TrainingState state() const { return snapshot().state; }

    TrainingSetup m_setup;
    TrainingSnapshotBuilder m_builder;
    std::unique_ptr<MaximumSearch> m_search;
    std::unique_ptr<TrainingWorker> m_worker;
    std::unique_ptr<TrainingSteps> m_steps;
    TrainingEnd m_end = TrainingEnd::Failed;
    QElapsedTimer m_clock;
    QTimer m_tick;
};

} // namespace batchpeak::training
