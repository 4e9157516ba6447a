// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "past_exploration.h"

#include "accumulation/micro_batches.h"
#include "store/exploration_store.h"
#include "trial_times.h"

#include <QFileInfo>

#include <algorithm>
#include <string_view>

namespace batchpeak::training {

namespace {

QString word(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Whether a path of the history leads to that file, through links or not. What a relative one began at is
/// not known any more.
bool isSameFile(const QString& kept, const QFileInfo& file)
{
    const QFileInfo past(kept);
    if (past.isRelative())
        return false;
    return past.absoluteFilePath() == file.absoluteFilePath() ||
           (file.exists() && past.canonicalFilePath() == file.canonicalFilePath());
}

/// A number or null asks for one size, which is then recommended whatever else there is.
bool isSearch(const QString& setting)
{
    bool isNumber = false;
    setting.toLongLong(&isNumber);
    return !isNumber && setting != QLatin1String("null");
}

bool asksTheSame(const store::ExplorationInfo& past, const engine::RunDescription& run)
{
    return past.family == run.family && past.parameters == run.parameters &&
           past.phase == word(model::toText(run.phase)) &&
           past.precision == word(model::toText(run.precision)) &&
           past.optimizer == word(model::toText(run.optimizer)) &&
           past.sequenceLength == run.sequenceLength && past.globalBatchSize == run.plan.globalBatchSize &&
           past.configDevices == run.plan.devices && isSameFile(past.filePath, QFileInfo(run.filePath));
}

/// A size that did not run, or not well, is no candidate; what says nothing of its size does not count.
bool doesNotFit(const trial::TrialRecord& trial)
{
    switch (trial.outcome.value_or(trial::Outcome::Failed)) {
    case trial::Outcome::Ok:
        return !trial.ranWell();
    case trial::Outcome::OutOfMemory:
    case trial::Outcome::Unsupported:
    case trial::Outcome::Timeout:
        return true;
    case trial::Outcome::Failed:
    case trial::Outcome::Cancelled:
    case trial::Outcome::Crashed:
        break;
    }
    return false;
}

TrialTimes timesOf(const std::vector<trial::TrialRecord>& trials)
{
    TrialTimes times;
    // Nobody kept when each one ended; on one device it is not much later.
    double clockSeconds = 0.0;
    for (const trial::TrialRecord& trial : trials) {
        clockSeconds += trial.wallSeconds;
        const double seconds = trial.secondsPerStep.value_or(0.0);
        if (doesNotFit(trial))
            times.exclude(trial.microBatchSize);
        else if (trial.ranWell() && seconds > 0.0)
            times.add({.size = trial.microBatchSize,
                       .outcome = trial::Outcome::Ok,
                       .secondsPerStep = seconds,
                       .steps = trial.timedSteps,
                       .relativeError = trial.relativeError,
                       .optimizerSeconds = trial.optimizerSeconds.value_or(0.0),
                       .disturbed = trial.disturbed,
                       .clockSeconds = clockSeconds});
    }
    return times;
}

/// Where and how sizes are to be confirmed.
struct Question
{
    std::int64_t recommended = 0;
    std::int64_t batch = 1;
    bool trains = true;
};

ConfirmedSize confirmedSize(const Question& question, std::int64_t size, const PredictedSpeed& speed)
{
    return {.microBatchSize = std::min(size, question.batch),
            .accumulationSteps = accumulation::evenSpread(question.batch, size).microBatches(),
            .predictedSamplesPerSecond = speed.samplesPerSecond,
            .predictedRelativeError = speed.relativeError};
}

std::vector<ConfirmedSize> predictedSizes(const TrialTimes& times, const Question& question)
{
    std::vector<std::int64_t> candidates = times.sizes();
    if (candidates.empty())
        return {};
    candidates.insert(candidates.begin(), question.recommended);
    const std::vector<PredictedSpeed> speeds = times.predict(question.batch, candidates);

    std::vector<ConfirmedSize> sizes{confirmedSize(question, question.recommended, speeds.front())};
    std::optional<ConfirmedSize> runnerUp;
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        const ConfirmedSize candidate = confirmedSize(question, candidates[i], speeds[i]);
        if (candidate.accumulationSteps == sizes.front().accumulationSteps)
            continue;
        if (!runnerUp || candidate.predictedSamplesPerSecond > runnerUp->predictedSamplesPerSecond)
            runnerUp = candidate;
    }
    if (runnerUp)
        sizes.push_back(*runnerUp);
    for (ConfirmedSize& size : sizes)
        size.predictedWithoutOptimizer = question.trains && times.optimizerSeconds() <= 0.0;
    return sizes;
}

} // namespace

std::optional<store::StoredExploration>
pastExploration(const QString& storePath, const engine::RunDescription& run, const QString& device)
{
    // Opening a history makes one.
    if (!QFileInfo::exists(storePath))
        return std::nullopt;
    const store::ExplorationStore history(storePath);
    for (const store::ExplorationSummary& summary : history.list()) {
        const bool isRecommendation = summary.end && summary.recommendation && isSearch(summary.info.setting);
        if (!isRecommendation || !asksTheSame(summary.info, run))
            continue;
        auto exploration = history.show(summary.id);
        const auto isThere = [&](const store::DeviceRecord& past) {
            return past.id == device || past.name == device;
        };
        if (exploration && std::ranges::any_of(exploration->devices, isThere))
            return exploration;
    }
    return std::nullopt;
}

std::vector<ConfirmedSize> predictedSizes(const store::StoredExploration& exploration)
{
    const auto& recommendation = exploration.summary.recommendation;
    if (!recommendation)
        return {};
    const store::ExplorationInfo& info = exploration.summary.info;
    const config::BatchPlan plan{.globalBatchSize = info.globalBatchSize, .devices = info.configDevices};
    return predictedSizes(timesOf(exploration.trials),
                          {.recommended = recommendation->microBatchSize,
                           .batch = plan.perDeviceBatch(),
                           .trains = info.phase == word(model::toText(model::Phase::Train))});
}

std::vector<ConfirmedSize> predictedSizes(const engine::Snapshot& snapshot)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    if (!recommendation || !snapshot.run)
        return {};
    return predictedSizes(timesOf(snapshot.trials), {.recommended = recommendation->size,
                                                     .batch = snapshot.run->plan.perDeviceBatch(),
                                                     .trains = snapshot.run->phase == model::Phase::Train});
}

} // namespace batchpeak::training
