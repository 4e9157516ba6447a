// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_lines.h"

#include "batch_text.h"
#include "number_text.h"
#include "plan_text.h"
#include "snapshot_text.h"
#include "text_table.h"

#include <vector>

namespace batchpeak::cli {

namespace {

using training::MaximumWay;
using training::ScheduleEntry;
using training::SizeChange;
using training::StepRecord;
using training::TrainingDescription;
using training::TrainingSnapshot;
using training::TrainingState;

QString wayText(MaximumWay way)
{
    switch (way) {
    case MaximumWay::Halving:
        return QStringLiteral("by halving");
    case MaximumWay::Binary:
        return QStringLiteral("by binary search");
    case MaximumWay::Predict:
        break;
    }
    return QStringLiteral("by prediction from the memory of sizes 1 and 2");
}

/// "loss 7.6241, 412 samples/s, micro-batch 32 x 8, peak 212 MiB": of a step or an evaluation.
QString measurements(const StepRecord& record)
{
    QStringList parts{
        QStringLiteral("loss %1").arg(lossText(record.loss)),
        speedText(record.samplesPerSecond, record.tokensPerSecond),
        QStringLiteral("micro-batch %1 x %2")
            .arg(QString::number(record.microBatchSize), QString::number(record.accumulationSteps))};
    if (record.peakReservedBytes > 0)
        parts << QStringLiteral("peak %1").arg(bytesText(record.peakReservedBytes));
    return parts.join(QStringLiteral(", "));
}

QString stepText(std::int64_t step, std::int64_t steps)
{
    return steps > 0 ? QStringLiteral("step %1 of %2").arg(groupedText(step), groupedText(steps))
                     : QStringLiteral("step %1").arg(groupedText(step));
}

QString batchRowText(const TrainingDescription& training)
{
    const config::BatchPlan& plan = training.run.plan;
    const QString batch = batchText(plan);
    return plan.devices > 1
               ? QStringLiteral("%1, %2 of them on this one").arg(batch, groupedText(training.batchSize))
               : batch;
}

/// Which of the ways leads to the micro-batch size.
QString sizeRowText(const TrainingDescription& training)
{
    if (training.maximum)
        return QStringLiteral("the largest that fits, %1").arg(wayText(*training.maximum));
    if (training.halvesAutomatically)
        return QStringLiteral("automatic halving, from %1").arg(groupedText(training.batchSize));
    return engine::settingText(training.run.plan);
}

QString stepsRowText(const TrainingDescription& training)
{
    const QString steps =
        training.steps > 0 ? groupedText(training.steps) : QStringLiteral("as many as the data gives");
    return training.firstStep > 0
               ? QStringLiteral("%1, of which %2 are done").arg(steps, groupedText(training.firstStep))
               : steps;
}

} // namespace

QStringList introductionLines(const TrainingDescription& training)
{
    std::vector<QStringList> rows = networkRows(training.run);
    rows.back().back() += QStringLiteral(", learning rate %1").arg(training.learningRate);
    rows.push_back({QStringLiteral("batch"), batchRowText(training)});
    rows.push_back({QStringLiteral("micro-batch"), sizeRowText(training)});
    if (!training.growth.isEmpty())
        rows.push_back({QStringLiteral("growth"), training.growth});
    const bool byTokens = training.weighting == trial::LossWeighting::Tokens;
    rows.push_back({QStringLiteral("data"), training.data});
    rows.push_back({QStringLiteral("loss"),
                    byTokens ? QStringLiteral("weighted by tokens") : QStringLiteral("weighted by samples")});
    rows.push_back({QStringLiteral("steps"), stepsRowText(training)});
    return alignedLines(rows);
}

QString maximumLine(const training::MaximumFound& maximum)
{
    QStringList effort{countText(maximum.trials, QStringLiteral("trial"))};
    if (maximum.outOfMemoryEvents > 0)
        effort << QStringLiteral("%1 out of memory").arg(maximum.outOfMemoryEvents);
    effort << durationText(maximum.seconds);
    QString line =
        QStringLiteral("largest micro-batch that fits: %1, %2 (%3)")
            .arg(groupedText(maximum.measured), wayText(maximum.way), effort.join(QStringLiteral(", ")));
    if (maximum.used != maximum.measured)
        line += QStringLiteral("; trains with %1, a power of two").arg(groupedText(maximum.used));
    return line +
           (maximum.recommended > 0
                ? QStringLiteral("; the exploration recommends %1").arg(groupedText(maximum.recommended))
                : QStringLiteral("; no exploration recommends a size yet"));
}

QString stepLine(const StepRecord& step, std::int64_t steps)
{
    return QStringLiteral("%1, epoch %2: %3")
        .arg(stepText(step.step, steps), QString::number(step.epoch), measurements(step));
}

QString evaluationLine(const StepRecord& evaluation)
{
    return QStringLiteral("evaluation after step %1: %2")
        .arg(groupedText(evaluation.step), measurements(evaluation));
}

QString sizeChangeLine(const SizeChange& change)
{
    const QString place = change.phase == model::Phase::Train ? QStringLiteral("step %1")
                                                              : QStringLiteral("evaluation after step %1");
    const QString sizes =
        change.reason == SizeChange::Reason::OutOfMemory
            ? QStringLiteral("out of memory at micro-batch %1; halved to %2, the same batch again")
        : change.reason == SizeChange::Reason::Thrashing
            ? QStringLiteral("micro-batch %2 from here on, since at %1 the allocator had to "
                             "flush its cache in two successive steps")
            : QStringLiteral("micro-batch %2 instead of %1, since the batch has changed");
    return QStringLiteral("%1: %2").arg(place.arg(groupedText(change.step)),
                                        sizes.arg(groupedText(change.from), groupedText(change.to)));
}

QString growthLine(const ScheduleEntry& entry)
{
    using Kind = accumulation::GrowthDecision::Kind;
    const QString increment =
        (entry.increment > 0 ? QStringLiteral("+") : QString()) + groupedText(entry.increment);
    QString what;
    switch (entry.decision) {
    case Kind::Stays:
        return {};
    case Kind::Changes:
        what = QStringLiteral("the batch is now %1 (%2), in micro-batches of at most %3")
                   .arg(groupedText(entry.batchSize), increment, groupedText(entry.microBatchSize));
        break;
    case Kind::PassesMaximum:
        what = QStringLiteral("%1 would pass the largest size that fits, so the batch stays at %2")
                   .arg(increment, groupedText(entry.batchSize));
        break;
    case Kind::LeavesNothing:
        what = QStringLiteral("%1 would leave nothing of the batch, so it stays at %2")
                   .arg(increment, groupedText(entry.batchSize));
        break;
    }
    return QStringLiteral("epoch %1: %2").arg(QString::number(entry.epoch), what);
}

QString liveLine(const TrainingSnapshot& snapshot)
{
    switch (snapshot.state) {
    case TrainingState::Starting:
        return QStringLiteral("starting the worker and loading the network");
    case TrainingState::FindingMaximum:
        return QStringLiteral("looking for the largest micro-batch that fits");
    case TrainingState::Saving:
        return QStringLiteral("writing a checkpoint");
    case TrainingState::Finishing:
        return QStringLiteral("ending the worker");
    case TrainingState::Training:
        break;
    case TrainingState::Idle:
    case TrainingState::Finished:
    case TrainingState::Failed:
        return {};
    }
    const std::int64_t steps = snapshot.run ? snapshot.run->steps : 0;
    const std::int64_t before = snapshot.run ? snapshot.run->firstStep : 0;
    const bool isFirst = snapshot.steps.empty();
    QStringList parts{isFirst ? stepText(before + 1, steps) : stepText(snapshot.steps.back().step, steps)};
    if (!isFirst)
        parts << measurements(snapshot.steps.back());
    if (snapshot.microBatchesDone > 0)
        parts << QStringLiteral("%1 micro-batches of the next").arg(snapshot.microBatchesDone);
    if (snapshot.secondsLeft)
        parts << QStringLiteral("about %1 left").arg(durationText(*snapshot.secondsLeft));
    return parts.join(QStringLiteral(", "));
}

} // namespace batchpeak::cli
