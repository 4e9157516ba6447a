// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_text.h"

#include "exploration_text.h"
#include "terminal_text.h"
#include "text/batch_text.h"
#include "text/fidelity_text.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace batchpeak::cli {

namespace {

using training::StepRecord;
using training::TrainingDescription;
using training::TrainingSnapshot;
using training::TrainingState;

/// Returns how the largest size that fits is found.
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

/// Returns the measurements of a step or an evaluation: "loss 7.6241, 412 samples/s, micro-batch 32 x 8, peak
/// 212 MiB".
QString measurements(const StepRecord& record, const config::Fidelity& fidelity)
{
    QStringList parts{
        QStringLiteral("loss %1").arg(lossText(record.loss)),
        speedText(record.samplesPerSecond, record.tokensPerSecond, engine::speedMark(fidelity)),
        QStringLiteral("micro-batch %1 x %2")
            .arg(QString::number(record.microBatchSize), QString::number(record.accumulationSteps))};
    if (record.peakReservedBytes > 0)
        parts << QStringLiteral("peak %1").arg(engine::memoryMark(fidelity) +
                                               bytesText(record.peakReservedBytes));
    return parts.join(QStringLiteral(", "));
}

QString stepText(std::int64_t step, std::int64_t steps)
{
    return steps > 0 ? QStringLiteral("step %1 of %2").arg(groupedText(step), groupedText(steps))
                     : QStringLiteral("step %1").arg(groupedText(step));
}

config::Fidelity fidelityOf(const TrainingSnapshot& snapshot)
{
    return snapshot.run ? snapshot.run->run.fidelity : config::Fidelity();
}

/// Returns the completed share of the steps of this run, or nothing if only the data tells how many steps
/// there are.
std::optional<double> shareDone(const TrainingSnapshot& snapshot)
{
    if (!snapshot.run || snapshot.run->steps <= snapshot.run->firstStep)
        return std::nullopt;
    const std::int64_t first = snapshot.run->firstStep;
    const std::int64_t last = snapshot.steps.empty() ? first : snapshot.steps.back().step;
    return static_cast<double>(last - first) / static_cast<double>(snapshot.run->steps - first);
}

void addMeasurements(ProgressLine& line, const StepRecord& step, const config::Fidelity& fidelity)
{
    line.parts.push_back(
        {.text = QStringLiteral("loss %1").arg(lossText(step.loss)), .importance = Importance::More});
    line.parts.push_back({.text = QStringLiteral("%1%2 samples/s")
                                      .arg(engine::speedMark(fidelity), rateText(step.samplesPerSecond)),
                          .importance = Importance::Less});
    line.parts.push_back(
        {.text = QStringLiteral("micro-batch %1 x %2")
                     .arg(QString::number(step.microBatchSize), QString::number(step.accumulationSteps)),
         .importance = Importance::Least});
}

QString batchRowText(const TrainingDescription& training)
{
    const config::BatchPlan& plan = training.run.plan;
    const QString batch = batchText(plan);
    if (plan.isOverAllDevices && !plan.knowsDevices)
        return batch + QStringLiteral(", all of them on this one");
    return plan.devices > 1
               ? QStringLiteral("%1, %2 of them on this one").arg(batch, groupedText(training.batchSize))
               : batch;
}

/// Returns how the micro-batch size is chosen.
QString sizeRowText(const TrainingDescription& training)
{
    const bool grows = !training.growth.isEmpty();
    if (training.maximum && !grows)
        return QStringLiteral("the largest that fits, %1").arg(wayText(*training.maximum));
    if (training.halvesAutomatically)
        return QStringLiteral("automatic halving, from %1").arg(groupedText(training.batchSize));
    return engine::settingText(training.run.plan);
}

/// Returns how the batch grows; its size is limited by what fits.
QString growthRowText(const TrainingDescription& training)
{
    return training.maximum ? QStringLiteral("%1, up to the largest that fits, %2")
                                  .arg(training.growth, wayText(*training.maximum))
                            : training.growth;
}

QString stepsRowText(const TrainingDescription& training)
{
    QString steps =
        training.steps > 0 ? groupedText(training.steps) : QStringLiteral("determined by the data");
    if (training.firstStep <= 0)
        return steps;
    return (training.steps > 0 ? QStringLiteral("%1, of which %2 are done")
                               : QStringLiteral("%1; %2 are done"))
        .arg(steps, groupedText(training.firstStep));
}

QString endText(std::optional<training::TrainingEnd> end)
{
    using training::TrainingEnd;
    if (end == TrainingEnd::Interrupted)
        return QStringLiteral(", then it was interrupted");
    if (end == TrainingEnd::NothingFits)
        return QStringLiteral(", then not even a micro-batch of 1 fit");
    return end == TrainingEnd::Failed ? QStringLiteral(", then it could not continue") : QString();
}

/// "steps 1 to 13 of 20, 3,328 samples, then it was interrupted"
QString trainedText(const TrainingSnapshot& snapshot)
{
    std::int64_t samples = 0;
    for (const StepRecord& step : snapshot.steps)
        samples += step.batchSize;
    const std::int64_t steps = snapshot.run ? snapshot.run->steps : 0;
    return QStringLiteral("steps %1 to %2%3, %4%5")
        .arg(groupedText(snapshot.steps.front().step), groupedText(snapshot.steps.back().step),
             steps > 0 ? QStringLiteral(" of %1").arg(groupedText(steps)) : QString(),
             countText(samples, QStringLiteral("sample")), endText(snapshot.end));
}

/// Returns the largest size that was found, and the size that an exploration recommends.
/// \param isTrainedWith  whether the size is trained with, rather than only limiting a batch that grows
QString maximumText(const training::MaximumFound& maximum, bool isTrainedWith)
{
    QStringList effort{countText(maximum.trials, QStringLiteral("trial"))};
    if (maximum.outOfMemoryEvents > 0)
        effort << QStringLiteral("%1 out of memory").arg(maximum.outOfMemoryEvents);
    effort << durationText(maximum.seconds);
    QString text =
        QStringLiteral("%1, %2 (%3)")
            .arg(groupedText(maximum.measured), wayText(maximum.way), effort.join(QStringLiteral(", ")));
    if (isTrainedWith && maximum.used != maximum.measured)
        text += QStringLiteral("; trained with %1, a power of two").arg(groupedText(maximum.used));
    return text +
           (maximum.recommended > 0
                ? QStringLiteral("; the exploration recommends %1").arg(groupedText(maximum.recommended))
                : QStringLiteral("; no exploration has recommended a size yet"));
}

QString peakText(const TrainingSnapshot& snapshot)
{
    std::int64_t peak = 0;
    for (const StepRecord& step : snapshot.steps)
        peak = std::max(peak, step.peakReservedBytes);
    const QString text = engine::memoryMark(fidelityOf(snapshot)) + bytesText(peak);
    return snapshot.device.limitBytes > 0
               ? QStringLiteral("%1 of %2").arg(text, bytesText(snapshot.device.limitBytes))
               : text;
}

/// Returns the mean speed of all steps other than warm-up steps; if there are no others, the speed of the
/// last step.
QString meanSpeedText(const TrainingSnapshot& snapshot)
{
    const StepRecord& last = snapshot.steps.back();
    const QString mark = engine::speedMark(fidelityOf(snapshot));
    if (snapshot.samplesPerSecond <= 0 || last.samplesPerSecond <= 0)
        return speedText(last.samplesPerSecond, last.tokensPerSecond, mark);
    const double tokensPerSample = last.tokensPerSecond / last.samplesPerSecond;
    return speedText(snapshot.samplesPerSecond, snapshot.samplesPerSecond * tokensPerSample, mark);
}

/// "1,204 samples/s by the last exploration; training was 1.3 % slower"
QString predictedText(const TrainingSnapshot& snapshot)
{
    const double difference = *snapshot.overPrediction;
    const double percent = std::abs(difference) * 100.0;
    const QString predicted = QStringLiteral("%1%2 samples/s by the last exploration")
                                  .arg(engine::speedMark(fidelityOf(snapshot)),
                                       rateText(snapshot.samplesPerSecond / (1.0 + difference)));
    return QStringLiteral("%1; training was %2 % %3")
        .arg(predicted, QString::number(percent, 'f', 1),
             difference < 0.0 ? QStringLiteral("slower") : QStringLiteral("faster"));
}

QString microBatchText(const TrainingSnapshot& snapshot)
{
    const StepRecord& last = snapshot.steps.back();
    return QStringLiteral("%1, %2 for a batch of %3")
        .arg(snapshot.run ? engine::sizeText(snapshot.run->run.plan, last.microBatchSize)
                          : QString::number(last.microBatchSize),
             countText(last.accumulationSteps, QStringLiteral("accumulation step")),
             groupedText(last.batchSize));
}

void addEventRows(std::vector<QStringList>& rows, const TrainingSnapshot& snapshot)
{
    if (snapshot.outOfMemoryEvents > 0)
        rows.push_back(
            {QStringLiteral("out of memory"), countText(snapshot.outOfMemoryEvents, QStringLiteral("time"))});
    if (!snapshot.evaluations.empty()) {
        const StepRecord& last = snapshot.evaluations.back();
        const bool heldOut = snapshot.run && snapshot.run->heldOutSamples > 0;
        rows.push_back(
            {heldOut ? QStringLiteral("held out") : QStringLiteral("evaluation"),
             QStringLiteral("loss %1 after step %2, micro-batch %3")
                 .arg(lossText(last.loss), groupedText(last.step), groupedText(last.microBatchSize))});
    }
}

void addCheckpointRows(std::vector<QStringList>& rows, const TrainingSnapshot& snapshot)
{
    if (snapshot.checkpoint.isEmpty())
        return;
    rows.push_back({QStringLiteral("checkpoint"), snapshot.checkpoint});
    rows.push_back({QStringLiteral("to continue"), QStringLiteral("--resume %1").arg(snapshot.checkpoint)});
}

void addStepRows(std::vector<QStringList>& rows, const TrainingSnapshot& snapshot)
{
    const StepRecord& first = snapshot.steps.front();
    const StepRecord& last = snapshot.steps.back();
    rows.push_back({QStringLiteral("trained"), trainedText(snapshot)});
    rows.push_back({QStringLiteral("loss"), QStringLiteral("%1 at step %2, %3 at step %4")
                                                .arg(lossText(first.loss), groupedText(first.step),
                                                     lossText(last.loss), groupedText(last.step))});
    rows.push_back({QStringLiteral("speed"), meanSpeedText(snapshot)});
    if (snapshot.run)
        rows.push_back(fidelityRow(fidelityOf(snapshot)));
    if (snapshot.overPrediction)
        rows.push_back({QStringLiteral("predicted"), predictedText(snapshot)});
    rows.push_back({QStringLiteral("micro-batch"), microBatchText(snapshot)});
    rows.push_back({QStringLiteral("peak memory"), peakText(snapshot)});
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
    rows.push_back(fidelityRow(training.run.fidelity));
    return alignedLines(rows);
}

QStringList courseLines(const TrainingDescription& training)
{
    return alignedLines(
        {{QStringLiteral("data"), training.data}, {QStringLiteral("steps"), stepsRowText(training)}});
}

QString stepLine(const StepRecord& step, std::int64_t steps, const config::Fidelity& fidelity)
{
    return QStringLiteral("%1, epoch %2: %3")
        .arg(stepText(step.step, steps), groupedText(step.epoch + 1), measurements(step, fidelity));
}

QString evaluationLine(const StepRecord& evaluation, bool heldOut, const config::Fidelity& fidelity)
{
    return (heldOut ? QStringLiteral("evaluation of held-out samples after step %1: %2")
                    : QStringLiteral("evaluation after step %1: %2"))
        .arg(groupedText(evaluation.step), measurements(evaluation, fidelity));
}

ProgressLine liveLine(const TrainingSnapshot& snapshot)
{
    const auto saying = [](const QString& text) {
        return ProgressLine{.share = {}, .parts = {{.text = text}}};
    };
    switch (snapshot.state) {
    case TrainingState::Starting:
        return saying(QStringLiteral("starting the worker and loading the network"));
    case TrainingState::FindingMaximum:
        return saying(QStringLiteral("looking for the largest micro-batch that fits"));
    case TrainingState::Saving:
        return saying(QStringLiteral("writing a checkpoint"));
    case TrainingState::Finishing:
        return saying(QStringLiteral("ending the worker"));
    case TrainingState::Training:
        break;
    case TrainingState::Idle:
    case TrainingState::Finished:
    case TrainingState::Failed:
        return {};
    }
    ProgressLine line{.share = shareDone(snapshot), .parts = {}};
    const std::int64_t steps = snapshot.run ? snapshot.run->steps : 0;
    const std::int64_t before = snapshot.run ? snapshot.run->firstStep : 0;
    const bool isFirst = snapshot.steps.empty();
    line.parts.push_back(
        {.text = isFirst ? stepText(before + 1, steps) : stepText(snapshot.steps.back().step, steps)});
    if (!isFirst)
        addMeasurements(line, snapshot.steps.back(), fidelityOf(snapshot));
    if (snapshot.microBatchesDone > 0)
        line.parts.push_back({.text = QStringLiteral("%1 micro-batches %2done")
                                          .arg(QString::number(snapshot.microBatchesDone),
                                               isFirst ? QString() : QStringLiteral("of the next ")),
                              .importance = Importance::Least});
    if (snapshot.secondsLeft)
        line.parts.push_back(
            {.text = QStringLiteral("about %1 left").arg(durationText(*snapshot.secondsLeft)),
             .importance = Importance::Some,
             .style = Style::Muted});
    return line;
}

QStringList finalLines(const TrainingSnapshot& snapshot)
{
    std::vector<QStringList> rows;
    if (!snapshot.steps.empty())
        addStepRows(rows, snapshot);
    if (snapshot.maximum)
        rows.push_back({QStringLiteral("largest that fits"),
                        maximumText(*snapshot.maximum, !snapshot.run || snapshot.run->growth.isEmpty())});
    addEventRows(rows, snapshot);
    if (rows.empty())
        return {};
    rows.push_back({QStringLiteral("time"), durationText(snapshot.elapsedSeconds)});
    addCheckpointRows(rows, snapshot);
    return alignedLines(rows);
}

bool deservesALine(std::int64_t number)
{
    constexpr std::int64_t allUpTo = 20;
    if (number <= allUpTo)
        return true;
    std::int64_t powerOfTen = 100;
    while (number > powerOfTen)
        powerOfTen *= 10;
    return number % (powerOfTen / 20) == 0;
}

} // namespace batchpeak::cli
