// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "stored_snapshot.h"

#include "config/approximations.h"
#include "options/option_table.h"
#include "past_exploration.h"
#include "search_journal.h"
#include "snapshot/recommendation_text.h"
#include "text/json_fields.h"
#include "text/translated.h"
#include "text/tuning_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace batchpeak::engine {

namespace {

/// Returns how the exploration ended. One that was cut off with its program counts as stopped.
FinishStatus statusOf(const store::ExplorationSummary& summary)
{
    constexpr std::array all{FinishStatus::Confident, FinishStatus::Exhausted,   FinishStatus::Budget,
                             FinishStatus::Cancelled, FinishStatus::NothingFits, FinishStatus::Failed};
    const auto found = std::ranges::find_if(
        all, [&](FinishStatus status) { return summary.end && toText(status) == summary.end->status; });
    return found == all.end() ? FinishStatus::Cancelled : *found;
}

} // namespace

config::Fidelity fidelityOf(const store::FidelityRecord& record)
{
    config::Fidelity fidelity;
    for (const QString& reason : record.reasons)
        fidelity.addReason(reason.toStdString());
    for (const QString& part : record.replaced)
        fidelity.addReplaced(part.toStdString());
    for (const QString& data : record.assumed)
        fidelity.addAssumed(data.toStdString());
    if (record.kind.isEmpty())
        fidelity.addReason(config::approximation::olderRecord);
    return fidelity;
}

namespace {

QStringList phrasesOf(const std::vector<std::string>& phrases)
{
    QStringList texts;
    for (const std::string& phrase : phrases)
        texts << QString::fromStdString(phrase);
    return texts;
}

} // namespace

store::FidelityRecord fidelityRecord(const config::Fidelity& fidelity)
{
    return {.kind = QString::fromUtf8(config::wordOf(fidelity.kind)),
            .reasons = phrasesOf(fidelity.reasons),
            .replaced = phrasesOf(fidelity.replaced),
            .assumed = phrasesOf(fidelity.assumed)};
}

namespace {

RunDescription runOf(const store::ExplorationInfo& info, const RunDescription& now)
{
    RunDescription run = now;
    const ExplorationOptions asked = optionsFrom(info.command);
    run.filePath = info.filePath;
    run.configText = info.configText;
    run.chosenModel = info.chosenModel;
    run.command = info.command;
    run.loadRequest = info.loadRequest;
    run.formatName = info.formatName;
    run.family = info.family;
    run.parameters = info.parameters;
    run.frozenParameters = info.frozenParameters;
    run.tuning = tuningFromRecord(info.tuning);
    run.fidelity = fidelityOf(info.fidelity);
    run.phase = enumFromText<model::Phase>(info.phase).value_or(now.phase);
    run.precision = enumFromText<model::Precision>(info.precision).value_or(now.precision);
    run.optimizer = enumFromText<model::Optimizer>(info.optimizer).value_or(now.optimizer);
    run.sequenceLength = info.sequenceLength;
    run.plan.globalBatchSize = info.globalBatchSize;
    run.plan.devices = info.configDevices;
    run.processes = info.processes;
    run.objective = enumFromText<search::Objective>(info.objective).value_or(search::Objective::Micro);
    run.strategy = info.strategy;
    run.tolerance = info.tolerance;
    run.targetConfidence = asked.targetConfidence;
    run.headroom = info.headroom;
    run.maxTrials = asked.maxTrials;
    run.budgetSeconds.reset();
    if (asked.timeBudget)
        run.budgetSeconds = static_cast<double>(asked.timeBudget->count());
    return run;
}

DeviceSnapshot deviceOf(const store::DeviceRecord& record, double headroom)
{
    return {.id = record.id,
            .kind = record.id.section(QLatin1Char(':'), 0, 0),
            .name = record.name,
            .totalBytes = record.totalBytes,
            .limitBytes = record.limitBytes,
            .usableBytes =
                static_cast<std::int64_t>(static_cast<double>(record.limitBytes) * (1.0 - headroom)),
            .program = record.program};
}

/// Returns the time without pauses from the start until now, the end, or the last call to the search.
double elapsedSecondsOf(const store::StoredExploration& stored, bool continues)
{
    const store::ExplorationSummary& summary = stored.summary;
    const auto last = stored.searchCalls.empty() ? std::nullopt : plannerCallFrom(stored.searchCalls.back());
    if (!continues && !summary.end)
        return last ? last->elapsedSeconds : 0.0;
    const QDateTime until = continues ? QDateTime::currentDateTimeUtc() : summary.end->finished;
    const double idle = last ? last->clockSeconds - last->elapsedSeconds : 0.0;
    return std::max(0.0, static_cast<double>(summary.info.started.msecsTo(until)) / 1000.0 - idle);
}

/// Marks trials as running that are stored as canceled after no time at all. A trial is stored so when it
/// begins, and stays so if its program ends.
void takeAsRunning(std::vector<trial::TrialRecord>& trials)
{
    for (trial::TrialRecord& trial : trials) {
        if (trial.outcome != trial::Outcome::Cancelled || trial.wallSeconds > 0.0)
            continue;
        trial.outcome.reset();
        trial.text.clear();
    }
}

/// Returns the recalled trials. Few explorations have any, and recalling is the first call to their searches,
/// so the rest of the calls of the others is not parsed.
std::vector<RecalledTrial> recalledBy(StoredSearch& search, const RunDescription& now)
{
    const std::vector<QByteArray>& calls = search.stored().searchCalls;
    const auto first = calls.empty() ? std::nullopt : plannerCallFrom(calls.front());
    if (!first || first->kind != PlannerCall::Kind::Recall)
        return {};
    const InterruptedRun* const run = search.run();
    return run ? recalledTrialsOf(run->calls, now) : std::vector<RecalledTrial>();
}

void recommend(Snapshot& snapshot, const store::RecommendationRecord& record)
{
    snapshot.searchState.recommendation =
        search::Recommendation{.size = record.microBatchSize,
                               .samplesPerSecond = record.samplesPerSecond,
                               .relativeError = record.relativeError,
                               .relativePerformance = record.relativePerformance,
                               .confidence = record.confidence,
                               .expectedLoss = record.expectedLoss.value_or(0.0)};
    for (const store::EstimateRecord& estimate : record.estimates)
        snapshot.searchState.estimates.push_back(
            {.size = estimate.microBatchSize,
             .samplesPerSecond = estimate.samplesPerSecond,
             .relativeError = estimate.relativeError,
             // Earlier versions stored probabilities of 1.
             .probabilityWithin = std::min(estimate.probabilityWithin, search::maxConfidence)});
    snapshot.reason = record.reason;
    if (snapshot.run->phase == model::Phase::Train)
        snapshot.accumulationSteps = snapshot.run->plan.accumulationSteps(record.microBatchSize);
    for (const trial::TrialRecord& trial : snapshot.trials) {
        if (trial.microBatchSize == record.microBatchSize && trial.outcome == trial::Outcome::Ok)
            snapshot.recommendedPeakBytes =
                std::max(snapshot.recommendedPeakBytes, trial.peakReservedBytes.value_or(0));
    }
}

} // namespace

const InterruptedRun* StoredSearch::run()
{
    if (!std::exchange(m_isRead, true))
        m_run = interruptedRunFrom(m_stored);
    return m_run ? &*m_run : nullptr;
}

Snapshot snapshotOf(StoredSearch& search, const RunDescription& now, IsUnderWay isUnderWay)
{
    const store::StoredExploration& stored = search.stored();
    const store::ExplorationSummary& summary = stored.summary;
    const bool continues = isUnderWay == IsUnderWay::Yes && !summary.end;
    Snapshot snapshot;
    snapshot.state = State::Exploring;
    if (!continues) {
        snapshot.finish = statusOf(summary);
        snapshot.state = snapshot.finish == FinishStatus::Failed ? State::Failed : State::Finished;
    }
    snapshot.run = runOf(summary.info, now);
    for (const store::DeviceRecord& device : stored.devices)
        snapshot.devices.push_back(deviceOf(device, snapshot.run->headroom));
    snapshot.trials = stored.trials;
    std::ranges::sort(snapshot.trials, {}, &trial::TrialRecord::number);
    if (continues)
        takeAsRunning(snapshot.trials);
    snapshot.recalled = recalledBy(search, *snapshot.run);
    if (summary.recommendation)
        recommend(snapshot, *summary.recommendation);
    snapshot.elapsedSeconds = elapsedSecondsOf(stored, continues);
    for (const store::LogRecord& line : stored.log)
        snapshot.log.push_back(
            {.time = line.time, .level = static_cast<LogLevel>(line.level), .text = line.text});
    if (continues)
        return snapshot;
    snapshot.progress = 1.0;
    if (summary.end) {
        snapshot.ending = summary.end->ending;
        snapshot.failure = summary.end->failure;
    } else {
        snapshot.ending = Translated::tr("The program that ran it ended before the exploration did.");
    }
    return snapshot;
}

namespace {

CoursePoint coursePointOf(const search::SearchState& state, const PlannerCall& call, int trials)
{
    CoursePoint point{.elapsedSeconds = call.elapsedSeconds, .trials = trials};
    if (const auto& best = state.recommendation) {
        point.size = best->size;
        point.confidence = best->confidence;
        point.expectedLoss = best->expectedLoss;
        point.samplesPerSecond = best->samplesPerSecond;
    }
    return point;
}

} // namespace

bool addSearch(Snapshot& snapshot, StoredSearch& search, const std::stop_token& stop)
{
    const InterruptedRun* const run = search.run();
    const store::ExplorationSummary& summary = search.stored().summary;
    const auto& told = summary.recommendation;
    if (!run || !told)
        return false;
    const ExplorationOptions asked = optionsFrom(summary.info.command);
    std::vector<CoursePoint> course;
    search::SearchState state;
    try {
        TrialPlanner planner(search::makeStrategy(asked.strategy.toStdString(), run->space),
                             run->space.maxTrials, asked.repeatDisturbed, summary.info.processes);
        int trials = 0;
        for (const PlannerCall& call : run->calls) {
            if (stop.stop_requested())
                return false;
            applyAll({call}, planner);
            if (!call.measurement)
                continue;
            state = planner.searchState();
            course.push_back(coursePointOf(state, call, ++trials));
        }
        state = planner.searchState();
    } catch (const std::invalid_argument&) {
        // The strategy is of another version of the program.
        return false;
    }
    const auto& found = state.recommendation;
    // An older program may have computed other speeds for the same size.
    constexpr double rounding = 1e-6;
    if (!found || found->size != told->microBatchSize || found->confidence != told->confidence ||
        std::abs(found->samplesPerSecond / told->samplesPerSecond - 1.0) > rounding)
        return false;
    snapshot.searchState = state;
    if (state.recalledTrials == 0)
        snapshot.recalled.clear();
    snapshot.course = std::move(course);
    snapshot.speedLimit = speedLimitText(state.speedLimit, snapshot.isOnCpu());
    return true;
}

} // namespace batchpeak::engine
