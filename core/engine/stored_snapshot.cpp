// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "stored_snapshot.h"

#include "config/approximations.h"
#include "tuning_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::StoredSnapshot)
};

/// One that was cut off with its program was stopped.
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
    run.filePath = info.filePath;
    run.formatName = info.formatName;
    run.family = info.family;
    run.parameters = info.parameters;
    run.frozenParameters = info.frozenParameters;
    run.tuning = tuningFromRecord(info.tuning);
    run.fidelity = fidelityOf(info.fidelity);
    run.phase = model::fromText<model::Phase>(info.phase.toStdString()).value_or(now.phase);
    run.precision = model::fromText<model::Precision>(info.precision.toStdString()).value_or(now.precision);
    run.optimizer = model::fromText<model::Optimizer>(info.optimizer.toStdString()).value_or(now.optimizer);
    run.sequenceLength = info.sequenceLength;
    run.plan.globalBatchSize = info.globalBatchSize;
    run.plan.devices = info.configDevices;
    run.objective = info.objective == QLatin1String("effective") ? search::Objective::Effective
                                                                 : search::Objective::Micro;
    run.strategy = info.strategy;
    run.tolerance = info.tolerance;
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

void recommend(Snapshot& snapshot, const store::RecommendationRecord& record)
{
    snapshot.searchState.recommendation =
        search::Recommendation{.size = record.microBatchSize,
                               .samplesPerSecond = record.samplesPerSecond,
                               .relativeError = record.relativeError,
                               .relativePerformance = record.relativePerformance,
                               .confidence = record.confidence,
                               .expectedLoss = record.expectedLoss.value_or(0.0)};
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

Snapshot snapshotOf(const store::StoredExploration& stored, const RunDescription& now)
{
    const store::ExplorationSummary& summary = stored.summary;
    Snapshot snapshot;
    snapshot.finish = statusOf(summary);
    snapshot.state = snapshot.finish == FinishStatus::Failed ? State::Failed : State::Finished;
    snapshot.run = runOf(summary.info, now);
    for (const store::DeviceRecord& device : stored.devices)
        snapshot.devices.push_back(deviceOf(device, snapshot.run->headroom));
    snapshot.trials = stored.trials;
    std::ranges::sort(snapshot.trials, {}, &trial::TrialRecord::number);
    if (summary.recommendation)
        recommend(snapshot, *summary.recommendation);
    snapshot.progress = 1.0;
    if (summary.end) {
        snapshot.ending = summary.end->ending;
        snapshot.failure = summary.end->failure;
        snapshot.elapsedSeconds =
            static_cast<double>(summary.info.started.msecsTo(summary.end->finished)) / 1000.0;
    }
    snapshot.log.push_back({.time = summary.info.started,
                            .level = LogLevel::Info,
                            .text = Translated::tr("Exploration %1 of the history, which keeps trials and "
                                                   "recommendations, but neither the curve nor the log.")
                                        .arg(summary.id)});
    return snapshot;
}

} // namespace batchpeak::engine
