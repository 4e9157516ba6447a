// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_text.h"

#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

using engine::durationText;
using engine::lossText;
using engine::numberText;
using engine::rateText;
using engine::stepsText;
using engine::trialsText;
using training::MaximumWay;
using training::StepRecord;
using training::TrainingEnd;
using training::TrainingSnapshot;
using training::TrainingState;

QString stepText(const TrainingSnapshot& snapshot)
{
    const std::int64_t step = snapshot.lastStep();
    return snapshot.run && snapshot.run->steps >= step && snapshot.run->steps > 0
               ? engine::Translated::tr("Step %1 of %2")
                     .arg(numberText(step), numberText(snapshot.run->steps))
               : engine::Translated::tr("Step %1").arg(numberText(step));
}

QString stepActivity(const TrainingSnapshot& snapshot)
{
    QStringList parts{stepText(snapshot)};
    const std::int64_t microBatches = snapshot.steps.empty() ? 0 : snapshot.steps.back().accumulationSteps;
    if (snapshot.microBatchesDone > 0 && microBatches >= snapshot.microBatchesDone && microBatches > 1)
        parts << engine::Translated::tr("micro-batch %1 of %2")
                     .arg(numberText(snapshot.microBatchesDone), numberText(microBatches));
    if (snapshot.secondsLeft)
        parts << engine::Translated::tr("about %1 left").arg(durationText(*snapshot.secondsLeft));
    return parts.join(QStringLiteral("  ·  "));
}

QString endText(TrainingEnd end)
{
    switch (end) {
    case TrainingEnd::Completed:
        return engine::Translated::tr("completed");
    case TrainingEnd::Interrupted:
        return engine::Translated::tr("stopped");
    case TrainingEnd::NothingFits:
        return engine::Translated::tr("nothing fits");
    case TrainingEnd::Failed:
        break;
    }
    return engine::Translated::tr("failed");
}

QString lossSentence(const std::vector<StepRecord>& steps)
{
    const double first = steps.front().loss;
    const double last = steps.back().loss;
    if (!std::isfinite(last))
        return engine::Translated::tr("Loss is NaN: training diverged. Try a lower learning rate.");
    return steps.size() == 1
               ? engine::Translated::tr("The loss is %1.").arg(lossText(last))
               : engine::Translated::tr("The loss went from %1 to %2.").arg(lossText(first), lossText(last));
}

QString outOfMemorySentence(int events)
{
    return events == 1 ? engine::Translated::tr("Memory ran out once.")
                       : engine::Translated::tr("Memory ran out %1 times.").arg(events);
}

/// Summarizes the result of the completed steps.
QString summary(const TrainingSnapshot& snapshot)
{
    if (snapshot.steps.empty())
        return engine::Translated::tr("It ended before its first step.");
    const StepRecord& last = snapshot.steps.back();
    QStringList sentences;
    sentences << (snapshot.end == TrainingEnd::Interrupted ? engine::Translated::tr("Stopped after %1 in %2:")
                                                           : engine::Translated::tr("%1 in %2:"))
                         .arg(stepsText(static_cast<int>(snapshot.steps.size())),
                              durationText(snapshot.elapsedSeconds)) +
                     QLatin1Char(' ') +
                     engine::Translated::tr("%1 samples/s; last micro-batch size %2, %3 per step.")
                         .arg(engine::speedMark(snapshot.run->run.fidelity) +
                                  rateText(snapshot.samplesPerSecond),
                              numberText(last.microBatchSize), numberText(last.accumulationSteps));
    sentences << lossSentence(snapshot.steps);
    if (snapshot.outOfMemoryEvents > 0)
        sentences << outOfMemorySentence(snapshot.outOfMemoryEvents);
    if (!snapshot.checkpoint.isEmpty())
        sentences << engine::Translated::tr("The newest checkpoint is %1.")
                         .arg(QDir::toNativeSeparators(snapshot.checkpoint));
    return sentences.join(QLatin1Char(' '));
}

} // namespace

QString trainingActivityText(const TrainingSnapshot& snapshot, const QString& obstacle)
{
    switch (snapshot.state) {
    case TrainingState::Idle:
        return obstacle.isEmpty() ? engine::Translated::tr("Ready to start")
                                  : engine::Translated::tr("Not ready to start");
    case TrainingState::Starting:
        return engine::Translated::tr("Starting the worker");
    case TrainingState::FindingMaximum:
        return engine::Translated::tr("Looking for the largest size that fits");
    case TrainingState::Saving:
        return engine::Translated::tr("Writing a checkpoint") + QStringLiteral("  ·  ") + stepText(snapshot);
    case TrainingState::Finishing:
        return engine::Translated::tr("Ending the worker");
    case TrainingState::Training:
        return stepActivity(snapshot);
    case TrainingState::Finished:
    case TrainingState::Failed:
        break;
    }
    return engine::Translated::tr("Ended after %1").arg(stepsText(static_cast<int>(snapshot.steps.size()))) +
           QStringLiteral("  ·  ") + endText(snapshot.end.value_or(TrainingEnd::Failed));
}

QString trainingSentence(const TrainingSnapshot& snapshot, const QString& obstacle)
{
    const QString next = obstacle.isEmpty() ? QString() : QLatin1Char(' ') + obstacle;
    if (snapshot.end == TrainingEnd::NothingFits && snapshot.steps.empty())
        return engine::Translated::tr("Nothing was trained: not even a micro-batch of one sample fits.") +
               next;
    switch (snapshot.state) {
    case TrainingState::Idle:
        return obstacle.isEmpty() ? engine::Translated::tr("Choose how to train, and press Start.")
                                  : obstacle;
    case TrainingState::Starting:
        return engine::Translated::tr("The worker is being started and the network loaded.");
    case TrainingState::FindingMaximum:
        return engine::Translated::tr(
            "The largest micro-batch that fits is looked for, before the first step.");
    case TrainingState::Finishing:
        return engine::Translated::tr("No more steps are done; the worker is being ended.");
    case TrainingState::Training:
    case TrainingState::Saving:
        if (snapshot.steps.empty())
            return engine::Translated::tr("The first step is under way.");
        return std::isfinite(snapshot.steps.back().loss) ? QString() : lossSentence(snapshot.steps);
    case TrainingState::Finished:
    case TrainingState::Failed:
        break;
    }
    return summary(snapshot) + next;
}

QString maximumWayText(MaximumWay way)
{
    switch (way) {
    case MaximumWay::Halving:
        return engine::Translated::tr("halving");
    case MaximumWay::Binary:
        return engine::Translated::tr("binary search");
    case MaximumWay::Predict:
        break;
    }
    return engine::Translated::tr("prediction");
}

QString maximumText(const training::MaximumFound& maximum)
{
    QString text = engine::Translated::tr("%1: %2 fits, %3 is used (%4, %5 out of memory, %6)")
                       .arg(maximumWayText(maximum.way), numberText(maximum.measured),
                            numberText(maximum.used), trialsText(maximum.trials),
                            numberText(maximum.outOfMemoryEvents), durationText(maximum.seconds));
    if (maximum.recommended > 0)
        text +=
            engine::Translated::tr("; the exploration recommends %1").arg(numberText(maximum.recommended));
    return text;
}

} // namespace batchpeak::ui
