// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_run.h"

#include "training_course.h"

#include <optional>
#include <utility>

namespace batchpeak::training {

class TrainingRun::Private
{
public:
    engine::ExplorationParts parts;
    std::optional<TrainingSetup> setup;
    /// Kept after its end, since the snapshot is its.
    std::unique_ptr<TrainingCourse> course;
    TrainingSnapshot idle;

    bool isRunning() const { return course && !course->hasEnded(); }
    /// The present call may come from a slot of the old course's last signal.
    void retireCourse()
    {
        if (course) {
            course->disconnect();
            course.release()->deleteLater();
        }
    }
};

TrainingRun::TrainingRun(QObject* parent) : TrainingRun(engine::ExplorationParts{}, parent) {}

TrainingRun::TrainingRun(engine::ExplorationParts parts, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>())
{
    d->parts = std::move(parts);
}

TrainingRun::~TrainingRun() = default;

const TrainingSnapshot& TrainingRun::snapshot() const
{
    return d->course ? d->course->snapshot() : d->idle;
}

void TrainingRun::load(const QString& filePath, const config::ConfigContents& contents,
                       const TrainingOptions& options)
{
    if (d->isRunning())
        return;
    d->setup = setUpTraining(filePath, contents, options, d->parts);
    d->retireCourse();
    const TrainingPlan& plan = d->setup->plan;
    d->idle = {.run = plan.description,
               .microBatchSize = plan.sizes.training,
               .evaluationMicroBatchSize = plan.sizes.evaluation};
    emit snapshotChanged(d->idle);
}

void TrainingRun::start()
{
    if (!d->setup || d->isRunning())
        return;
    d->retireCourse();
    d->course = std::make_unique<TrainingCourse>(*d->setup);
    TrainingCourse* course = d->course.get();
    connect(course, &TrainingCourse::snapshotChanged, this, &TrainingRun::snapshotChanged);
    connect(course, &TrainingCourse::deviceReady, this, &TrainingRun::deviceReady);
    connect(course, &TrainingCourse::maximumFound, this, &TrainingRun::maximumFound);
    connect(course, &TrainingCourse::epochBegan, this, &TrainingRun::epochBegan);
    connect(course, &TrainingCourse::stepDone, this, &TrainingRun::stepDone);
    connect(course, &TrainingCourse::evaluated, this, &TrainingRun::evaluated);
    connect(course, &TrainingCourse::sizeChanged, this, &TrainingRun::sizeChanged);
    connect(course, &TrainingCourse::checkpointSaved, this, &TrainingRun::checkpointSaved);
    connect(course, &TrainingCourse::finished, this, &TrainingRun::finished);
    emit started();
    course->start();
}

void TrainingRun::stop()
{
    if (d->course)
        d->course->stop();
}

} // namespace batchpeak::training
