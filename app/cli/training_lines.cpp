// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_lines.h"

#include "engine/batch_text.h"
#include "number_text.h"
#include "plan_text.h"
#include "snapshot_text.h"
#include "text_table.h"

#include <vector>

namespace batchpeak::cli {

namespace {

using training::StepRecord;
using training::TrainingDescription;
using training::TrainingSnapshot;
using training::TrainingState;

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
    const bool grows = !training.growth.isEmpty();
    if (training.maximum && !grows)
        return QStringLiteral("the largest that fits, %1").arg(wayText(*training.maximum));
    if (training.halvesAutomatically)
        return QStringLiteral("automatic halving, from %1").arg(groupedText(training.batchSize));
    return engine::settingText(training.run.plan);
}

/// A batch that grows is bounded by what fits.
QString growthRowText(const TrainingDescription& training)
{
    return training.maximum ? QStringLiteral("%1, up to the largest that fits, %2")
                                  .arg(training.growth, wayText(*training.maximum))
                            : training.growth;
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
        rows.push_back({QStringLiteral("growth"), growthRowText(training)});
    const bool byTokens = training.weighting == trial::LossWeighting::Tokens;
    rows.push_back({QStringLiteral("loss"),
                    byTokens ? QStringLiteral("weighted by tokens") : QStringLiteral("weighted by samples")});
    rows.push_back({QStringLiteral("data"), training.data});
    rows.push_back({QStringLiteral("steps"), stepsRowText(training)});
    return alignedLines(rows);
}

QStringList courseLines(const TrainingDescription& training)
{
    return alignedLines(
        {{QStringLiteral("data"), training.data}, {QStringLiteral("steps"), stepsRowText(training)}});
}

QString stepLine(const StepRecord& step, std::int64_t steps)
{
    return QStringLiteral("%1, epoch %2: %3")
        .arg(stepText(step.step, steps), groupedText(step.epoch + 1), measurements(step));
}

QString evaluationLine(const StepRecord& evaluation)
{
    return QStringLiteral("evaluation after step %1: %2")
        .arg(groupedText(evaluation.step), measurements(evaluation));
}

QString wayText(training::MaximumWay way)
{
    using training::MaximumWay;
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
        parts << QStringLiteral("%1 micro-batches %2done")
                     .arg(QString::number(snapshot.microBatchesDone),
                          isFirst ? QString() : QStringLiteral("of the next "));
    if (snapshot.secondsLeft)
        parts << QStringLiteral("about %1 left").arg(durationText(*snapshot.secondsLeft));
    return parts.join(QStringLiteral(", "));
}

} // namespace batchpeak::cli
