// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_text.h"

#include "engine/log_text.h"
#include "snapshot/ending_text.h"
#include "snapshot/failure_text.h"
#include "snapshot/plan_text.h"
#include "snapshot/present_size.h"
#include "snapshot/projection.h"
#include "snapshot/recommendation_text.h"
#include "snapshot/unlike_devices.h"
#include "snapshot/writing_rule.h"
#include "terminal_text.h"
#include "text/batch_text.h"
#include "text/comparison_text.h"
#include "text/fidelity_text.h"
#include "text/json_fields.h"
#include "text/readable_text.h"

#include <algorithm>

namespace batchpeak::cli {

namespace {

using engine::FinishStatus;
using engine::RunDescription;
using engine::Snapshot;
using engine::State;
using search::Recommendation;

QString networkText(const RunDescription& run)
{
    const QString network =
        run.family + QStringLiteral(", ") + parametersText(run.parameters, run.frozenParameters);
    return run.modelSource.isEmpty() ? network : QStringLiteral("%1, from %2").arg(network, run.modelSource);
}

/// "trial 7 of about 18"
QString trialNumberText(const Snapshot& snapshot)
{
    const int trials = static_cast<int>(snapshot.trials.size());
    const int expected = snapshot.searchState.expectedTrials;
    const QString total = expected >= trials ? QStringLiteral(" of about %1").arg(expected) : QString();
    return QStringLiteral("trial %1%2").arg(QString::number(trials), total);
}

/// "size 96", "comparing 24 and 28", and the measurements so far.
void addRunningTrials(ProgressLine& line, const Snapshot& snapshot)
{
    const auto running = snapshot.currentTrials();
    if (running.empty())
        return;
    line.parts.push_back({.text = trialNumberText(snapshot), .importance = Importance::Less});
    QStringList sizes;
    double samplesPerSecond = 0.0;
    for (const trial::TrialRecord* trial : running) {
        sizes << (trial->isComparison() ? engine::comparingText(engine::comparedSizes(*trial), QLocale::c())
                                        : QStringLiteral("size %1").arg(trial->microBatchSize));
        samplesPerSecond = trial->samplesPerSecond.value_or(0.0);
    }
    line.parts.push_back({.text = sizes.join(QStringLiteral(" and "))});
    if (running.size() == 1 && samplesPerSecond > 0.0)
        line.parts.push_back(
            {.text = QStringLiteral("%1%2 samples/s")
                         .arg(engine::speedMark(snapshot.run->fidelity), rateText(samplesPerSecond)),
             .importance = Importance::Least});
}

/// "best 64 (45 %)"
void addBest(ProgressLine& line, const Snapshot& snapshot)
{
    const auto& best = snapshot.searchState.recommendation;
    if (!best)
        return;
    line.parts.push_back({.text = QStringLiteral("best %1 (%2 %)").arg(best->size).arg(best->confidence),
                          .importance = Importance::More,
                          .style = snapshot.isRecommendationSure() ? Style::Good : Style::Plain});
}

/// "about 70 s left", with its uncertainty if there is room.
void addTimeLeft(ProgressLine& line, const search::Estimate& secondsLeft)
{
    line.parts.push_back({.text = engine::likelyTimeLeftText(secondsLeft),
                          .importance = Importance::Some,
                          .style = Style::Muted});
    if (const QString range = engine::timeLeftRangeText(secondsLeft); !range.isEmpty())
        line.parts.push_back({.text = range, .importance = Importance::Least, .style = Style::Muted});
}

QString peakText(const Snapshot& snapshot)
{
    QString peak = engine::memoryMark(snapshot.run->fidelity) + bytesText(snapshot.recommendedPeakBytes);
    const std::int64_t limit = snapshot.minLimitBytes();
    if (limit == 0)
        return peak;
    return QStringLiteral("%1 of %2 (%3 kept free)")
        .arg(peak, bytesText(limit), percentText(snapshot.run->headroom));
}

QString accumulationText(const Snapshot& snapshot)
{
    const config::BatchPlan& plan = snapshot.run->plan;
    const bool isOfOneAmongSome = plan.isOverAllDevices && !plan.knowsDevices;
    return (isOfOneAmongSome ? QStringLiteral("%1 on one device, at %2") : QStringLiteral("%1 at %2"))
        .arg(QString::number(snapshot.accumulationSteps), batchText(plan));
}

QString globalBatchText(const config::BatchPlan& plan, std::int64_t size)
{
    const std::int64_t unit = size * plan.devices;
    QStringList nearest;
    for (const std::int64_t batch : nearestGlobalBatchSizes(plan, size))
        nearest << QString::number(batch);
    if (nearest.size() == 1 && nearest.front() == QString::number(plan.globalBatchSize))
        return QStringLiteral("multiples of %1 (yours: %2)").arg(unit).arg(plan.globalBatchSize);
    return QStringLiteral("multiples of %1 (yours: %2; nearest: %3)")
        .arg(QString::number(unit), QString::number(plan.globalBatchSize),
             nearest.join(QStringLiteral(" and ")));
}

QString outcomeText(trial::Outcome outcome)
{
    switch (outcome) {
    case trial::Outcome::Ok:
        return QStringLiteral("ok");
    case trial::Outcome::OutOfMemory:
        return QStringLiteral("out of memory");
    case trial::Outcome::Unsupported:
        return QStringLiteral("unsupported");
    case trial::Outcome::Failed:
        return QStringLiteral("failed");
    case trial::Outcome::Timeout:
        return QStringLiteral("timed out");
    case trial::Outcome::Cancelled:
        return QStringLiteral("canceled");
    case trial::Outcome::Crashed:
        return QStringLiteral("crashed");
    }
    return {};
}

QString achievedText(const Snapshot& snapshot)
{
    const Recommendation& recommendation = *snapshot.searchState.recommendation;
    QStringList parts{
        engine::speedMark(snapshot.run->fidelity) +
            rateText(recommendation.samplesPerSecond, recommendation.relativeError),
        QStringLiteral("%1x base").arg(QString::number(recommendation.relativePerformance, 'f', 2))};
    if (const QString gain = gainText(snapshot); !gain.isEmpty())
        parts << gain;
    return parts.join(QStringLiteral(", "));
}

QString confidenceText(const Recommendation& recommendation)
{
    const QString confidence = QStringLiteral("%1 (out of 100)").arg(recommendation.confidence);
    const QString loss = engine::expectedLossText(recommendation.expectedLoss, QLocale::c());
    return loss.isEmpty() ? confidence : QStringLiteral("%1, expected loss %2").arg(confidence, loss);
}

QString endReason(const Snapshot& snapshot)
{
    switch (*snapshot.finish) {
    case FinishStatus::Confident:
        return QStringLiteral("target confidence reached");
    case FinishStatus::Exhausted:
        return snapshot.searchState.continuation ? QStringLiteral("no further trial is worth its time")
                                                 : QStringLiteral("no size left worth a trial");
    case FinishStatus::Budget:
        return engine::budgetText(snapshot);
    case FinishStatus::Cancelled:
        return QStringLiteral("interrupted");
    case FinishStatus::NothingFits:
        return QStringLiteral("nothing fits, not even 1");
    case FinishStatus::Failed:
        return QStringLiteral("no trial could run");
    }
    return {};
}

} // namespace

std::vector<std::int64_t> nearestGlobalBatchSizes(const config::BatchPlan& plan, std::int64_t microBatchSize)
{
    const std::int64_t unit = microBatchSize * plan.devices;
    const std::int64_t below = plan.globalBatchSize / unit * unit;
    if (below == plan.globalBatchSize)
        return {below};
    if (below == 0)
        return {unit};
    return {below, below + unit};
}

std::vector<QStringList> networkRows(const RunDescription& run)
{
    std::vector<QStringList> rows{
        {QStringLiteral("config"), QStringLiteral("%1 (%2)").arg(run.filePath, run.formatName)},
        {QStringLiteral("network"), networkText(run)}};
    for (const QStringList& row : tuningRows(run.tuning))
        rows.push_back(row);
    const QString together =
        run.processes > 1 ? QStringLiteral(", %1 processes").arg(run.processes) : QString();
    rows.push_back(
        {QStringLiteral("run"),
         QStringLiteral("%1, %2, %3%4%5")
             .arg(engine::enumText(run.phase), engine::enumText(run.precision),
                  engine::enumText(run.optimizer), sequenceLengthText(run.sequenceLength), together)});
    return rows;
}

QStringList introductionLines(const RunDescription& run)
{
    const config::BatchPlan& plan = run.plan;
    std::vector<QStringList> rows = networkRows(run);
    rows.push_back(
        {QStringLiteral("batch"), engine::hasMicroBatches(plan)
                                      ? batchText(plan) + QStringLiteral(", ") + engine::settingText(plan)
                                      : engine::settingText(plan)});
    rows.push_back(fidelityRow(run.fidelity));
    return alignedLines(rows);
}

QStringList fidelityRow(const config::Fidelity& fidelity)
{
    return {QStringLiteral("measured"), engine::fidelityText(fidelity)};
}

QString recommendationLine(const QDateTime& time, const search::Recommendation& recommendation,
                           const config::Fidelity& fidelity)
{
    const QString line =
        QStringLiteral("BEXP202 %1 GMT  Current recommended micro_batch_size: %2, estimated performance: "
                       "%3x base, confidence score: %4 (out of 100)")
            .arg(time.toUTC().toString(QStringLiteral("HH:mm:ss")))
            .arg(recommendation.size)
            .arg(recommendation.relativePerformance, 0, 'f', 2)
            .arg(recommendation.confidence);
    return fidelity.hasCaveat() ? QStringLiteral("%1; %2").arg(line, engine::fidelityName(fidelity)) : line;
}

QString gainText(const Snapshot& snapshot)
{
    // The multiplication sign becomes an x, as in the recommendation's line.
    return engine::presentSizeText(snapshot, QLocale::c()).replace(QChar(0x00D7), QLatin1Char('x'));
}

QString trialLine(const trial::TrialRecord& trial, const config::Fidelity& fidelity)
{
    QStringList parts{trial.isComparison() ? engine::comparedText(trial, QLocale::c())
                                           : QStringLiteral("size %1").arg(trial.microBatchSize)};
    if (trial.isRunning())
        parts << QStringLiteral("running");
    else if (trial.outcome != trial::Outcome::Ok)
        parts << outcomeText(*trial.outcome);
    if (trial.samplesPerSecond) {
        parts << QStringLiteral("%1%2 samples/s")
                     .arg(engine::speedMark(fidelity),
                          rateText(*trial.samplesPerSecond, trial.relativeError.value_or(0)));
    }
    if (trial.peakReservedBytes && *trial.peakReservedBytes > 0)
        parts << QStringLiteral("peak %1").arg(engine::memoryMark(fidelity) +
                                               bytesText(*trial.peakReservedBytes));
    if (trial.joulesPerSample)
        parts << engine::speedMark(fidelity) +
                     engine::energyPerSampleText(*trial.joulesPerSample, QLocale::c());
    if (!trial.withinHeadroom)
        parts << QStringLiteral("within the headroom");
    parts << engine::flagsOf(trial) << durationText(trial.wallSeconds);
    return QStringLiteral("trial %1 on %2: %3")
        .arg(QString::number(trial.number), QString::fromStdString(trial.device),
             parts.join(QStringLiteral(", ")));
}

ProgressLine liveLine(const Snapshot& snapshot)
{
    const auto saying = [](const QString& text) {
        return ProgressLine{.share = {}, .parts = {{.text = text}}};
    };
    switch (snapshot.state) {
    case State::Starting:
        if (const QStringList awaited = engine::awaitedPlaces(snapshot); !awaited.isEmpty())
            return saying(awaited.join(QStringLiteral(", ")));
        return saying(QStringLiteral("starting the workers and loading the network"));
    case State::Finishing:
        return saying(QStringLiteral("ending the workers"));
    case State::Verifying:
        if (snapshot.isChoosing())
            break;
        return saying(engine::verificationText(*snapshot.verification, QLocale::c()));
    case State::Exploring:
    case State::Paused:
        break;
    case State::Idle:
    case State::Finished:
    case State::Failed:
        return {};
    }
    ProgressLine line{.share = snapshot.progress, .parts = {}};
    for (const QString& awaited : engine::awaitedPlaces(snapshot))
        line.parts.push_back({.text = awaited, .style = Style::Warning});
    addRunningTrials(line, snapshot);
    if (snapshot.isChoosing())
        line.parts.push_back({.text = QStringLiteral("choosing the next size")});
    addBest(line, snapshot);
    if (snapshot.stalledSeconds > 0)
        line.parts.push_back({.text = QStringLiteral("stalled %1").arg(durationText(snapshot.stalledSeconds)),
                              .style = Style::Warning});
    else if (snapshot.timeLeft)
        addTimeLeft(line, *snapshot.timeLeft);
    if (!snapshot.setback.isEmpty())
        line.parts.push_back(
            {.text = snapshot.setback, .importance = Importance::Less, .style = Style::Muted});
    return line;
}

QStringList finalLines(const Snapshot& snapshot)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    if (!recommendation || !snapshot.run) {
        if (!snapshot.failure.isEmpty())
            return {snapshot.failure};
        return {
            QStringLiteral("There is no recommendation: the exploration ended before any trial finished.")};
    }

    const config::BatchPlan& plan = snapshot.run->plan;
    const QString size = engine::sizeText(plan, recommendation->size);
    const bool trains = snapshot.run->phase == model::Phase::Train;
    std::vector<QStringList> rows{
        {QStringLiteral("recommended"), trains ? size : QStringLiteral("%1 for evaluation").arg(size)},
        {QStringLiteral("samples/s"), achievedText(snapshot)},
        fidelityRow(snapshot.run->fidelity),
        {QStringLiteral("peak memory"), peakText(snapshot)},
        {QStringLiteral("confidence"), confidenceText(*recommendation)}};
    if (snapshot.accumulationSteps > 0 && engine::hasMicroBatches(plan))
        rows.insert(rows.end() - 1, {QStringLiteral("accumulation steps"), accumulationText(snapshot)});
    if (const auto* trial = snapshot.recommendedTrial(); trial && !trial->attention.empty())
        rows.push_back({QStringLiteral("attention"), QString::fromStdString(trial->attention)});
    if (snapshot.recommendedJoulesPerSample)
        rows.push_back({QStringLiteral("energy"),
                        engine::energyPerSampleText(*snapshot.recommendedJoulesPerSample, QLocale::c())});
    if (const QString beside = engine::besideOthersText(snapshot, QLocale::c()); !beside.isEmpty())
        rows.push_back({QStringLiteral("beside"), beside});
    if (!snapshot.reason.isEmpty())
        rows.push_back({QStringLiteral("why"), snapshot.reason});
    if (!snapshot.speedLimit.isEmpty())
        rows.push_back({QStringLiteral("limit"), snapshot.speedLimit});
    if (!snapshot.smallerSize.isEmpty())
        rows.push_back({QStringLiteral("smaller size"), snapshot.smallerSize});
    if (const QString unused = engine::unusedMemoryText(snapshot, QLocale::c()); !unused.isEmpty())
        rows.push_back({QStringLiteral("unused memory"), unused});
    if (const QString projection = engine::projectionText(snapshot, QLocale::c()); !projection.isEmpty())
        rows.push_back({QStringLiteral("projection"), projection});
    if (const QString unverified = engine::unverifiedText(snapshot, QLocale::c()); !unverified.isEmpty())
        rows.push_back({QStringLiteral("verification"), unverified});
    else if (snapshot.verification &&
             snapshot.verification->outcome != engine::Verification::Outcome::Pending)
        rows.push_back(
            {QStringLiteral("verification"), engine::verificationText(*snapshot.verification, QLocale::c())});
    if (engine::hasMicroBatches(plan))
        rows.push_back({QStringLiteral("valid batch sizes"), globalBatchText(plan, recommendation->size)});
    if (snapshot.finish) {
        rows.push_back(
            {QStringLiteral("ended"), QStringLiteral("%1, after %2 and %3")
                                          .arg(endReason(snapshot), durationText(snapshot.elapsedSeconds),
                                               engine::trialsText(snapshot))});
    }
    if (snapshot.finish && snapshot.finish != FinishStatus::Confident && snapshot.searchState.continuation)
        rows.push_back({QStringLiteral("going on"),
                        engine::continuationText(*snapshot.searchState.continuation, QLocale::c())});
    if (!snapshot.failure.isEmpty())
        rows.push_back({QStringLiteral("note"), snapshot.failure});
    return alignedLines(rows);
}

} // namespace batchpeak::cli
