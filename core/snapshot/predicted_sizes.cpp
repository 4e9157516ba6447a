// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "predicted_sizes.h"

#include "accumulation/micro_batches.h"
#include "search/measurement.h"
#include "search/step_time_draws.h"
#include "search/throughput.h"
#include "text/json_fields.h"
#include "trial/step_statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace batchpeak::engine {

namespace {

using search::Measurement;

/// What is predicted: whole optimizer steps of this batch (samples on one device), and the sizes to consider.
struct Question
{
    std::int64_t recommended = 0;
    std::int64_t batch = 1;
    bool trains = true;
    std::int64_t processes = 1;
};

/// Whether the trial excludes its size from the candidates, since the size did not run, or not well; a trial
/// that says nothing about its size does not.
bool doesNotFit(const trial::TrialRecord& trial)
{
    const trial::Outcome outcome = trial.outcome.value_or(trial::Outcome::Failed);
    return outcome == trial::Outcome::Ok ? !trial.ranWell() : search::doesNotFit(outcome);
}

/// Returns what a comparison measured of its sizes, even before one of them ended it; each counts as a trial
/// of its own.
std::vector<Measurement> comparedSizes(const trial::TrialRecord& trial, double clockSeconds)
{
    std::vector<Measurement> measurements;
    const double reduction = trial.reductionSeconds.value_or(0.0);
    for (const trial::ComparedRecord& size : trial.compared) {
        if (!trial.thrashes && size.secondsPerStep)
            measurements.push_back({.size = size.microBatchSize,
                                    .outcome = trial::Outcome::Ok,
                                    .secondsPerStep = *size.secondsPerStep - reduction,
                                    .steps = trial.timedSteps / static_cast<int>(trial.compared.size()),
                                    .relativeError = size.relativeError,
                                    .optimizerSeconds = trial.optimizerSeconds.value_or(0.0) + reduction,
                                    .disturbed = trial.disturbed,
                                    .contention = trial.readings.contention.value_or(0.0),
                                    .clockSeconds = clockSeconds});
    }
    return measurements;
}

/// Returns the trials whose times are sound, except those of a size that did not fit in another trial.
std::vector<Measurement> soundTrials(const std::vector<trial::TrialRecord>& trials)
{
    std::vector<Measurement> sound;
    std::set<std::int64_t> excluded;
    // The time at which each trial ended is not stored; on one device, it is not much later.
    double clockSeconds = 0.0;
    for (const trial::TrialRecord& trial : trials) {
        clockSeconds += trial.wallSeconds;
        const double reduction = trial.reductionSeconds.value_or(0.0);
        const double seconds = trial.secondsPerStep.value_or(0.0) - reduction;
        std::ranges::move(comparedSizes(trial, clockSeconds), std::back_inserter(sound));
        if (doesNotFit(trial))
            excluded.insert(trial.microBatchSize);
        else if (trial.ranWell() && seconds > 0.0)
            sound.push_back({.size = trial.microBatchSize,
                             .outcome = trial::Outcome::Ok,
                             .secondsPerStep = seconds,
                             .steps = trial.timedSteps,
                             .relativeError = trial.relativeError,
                             .optimizerSeconds = trial.optimizerSeconds.value_or(0.0) + reduction,
                             .disturbed = trial.disturbed,
                             .contention = trial.readings.contention.value_or(0.0),
                             .clockSeconds = clockSeconds});
    }
    std::erase_if(sound, [&](const Measurement& trial) { return excluded.contains(trial.size); });
    return sound;
}

/// Returns the typical time of an optimizer step [s]; 0 if no trial reported it.
double optimizerSecondsOf(const std::vector<Measurement>& trials)
{
    std::vector<double> seconds;
    for (const Measurement& trial : trials) {
        if (trial.optimizerSeconds > 0.0)
            seconds.push_back(trial.optimizerSeconds);
    }
    return trial::typicalStepSeconds(seconds).value_or(0.0);
}

PredictedSize sizeOf(const Question& question, std::int64_t size, const std::vector<double>& drawn)
{
    double sum = 0.0;
    double sumOfSquares = 0.0;
    for (const double samplesPerSecond : drawn) {
        sum += samplesPerSecond;
        sumOfSquares += samplesPerSecond * samplesPerSecond;
    }
    const auto count = static_cast<double>(drawn.size());
    const double mean = sum / count;
    return {.microBatchSize = std::min(size, question.batch),
            .accumulationSteps = accumulation::evenSpread(question.batch, size).microBatches(),
            .samplesPerSecond = mean,
            .relativeError = std::sqrt(std::max(0.0, sumOfSquares / count - mean * mean)) / mean};
}

/// Returns the predictions for whole steps that are split evenly into micro-batches of at most each of \p
/// sizes, in their order.
std::vector<PredictedSize> predict(const Question& question, const std::vector<Measurement>& trials,
                                   const std::vector<std::int64_t>& sizes)
{
    std::vector<std::int64_t> asked;
    for (const std::int64_t size : sizes) {
        const auto spread = accumulation::evenSpread(question.batch, size);
        asked.push_back(spread.size);
        asked.push_back(spread.largest());
    }
    const double optimizerSeconds = optimizerSecondsOf(trials);
    const search::StepTimeDraws draws(trials, asked);
    const search::Throughput throughput(
        {.objective = search::Objective::Effective, .perDeviceBatch = question.batch}, optimizerSeconds);

    std::vector<PredictedSize> predicted;
    for (const std::int64_t size : sizes) {
        std::vector<double> drawn;
        for (std::size_t draw = 0; draw < draws.count(); ++draw)
            drawn.push_back(static_cast<double>(question.processes) *
                            throughput.samplesPerSecond(
                                size, [&](std::int64_t samples) { return draws.seconds(draw, samples); }));
        predicted.push_back(sizeOf(question, size, drawn));
        predicted.back().withoutOptimizer = question.trains && optimizerSeconds <= 0.0;
    }
    return predicted;
}

std::vector<PredictedSize> predictedSizes(const std::vector<trial::TrialRecord>& trials,
                                          const Question& question)
{
    const std::vector<Measurement> sound = soundTrials(trials);
    if (sound.empty())
        return {};
    std::set<std::int64_t> measured;
    for (const Measurement& trial : sound)
        measured.insert(trial.size);
    std::vector<std::int64_t> sizes{question.recommended};
    sizes.insert(sizes.end(), measured.begin(), measured.end());
    const std::vector<PredictedSize> predicted = predict(question, sound, sizes);

    std::vector<PredictedSize> best{predicted.front()};
    for (const PredictedSize& candidate : predicted) {
        if (candidate.accumulationSteps == best.front().accumulationSteps)
            continue;
        if (best.size() == 1)
            best.push_back(candidate);
        else if (candidate.samplesPerSecond > best.back().samplesPerSecond)
            best.back() = candidate;
    }
    return best;
}

bool isOfTraining(const store::ExplorationInfo& info)
{
    return enumFromText<model::Phase>(info.phase) == model::Phase::Train;
}

} // namespace

std::vector<PredictedSize> predictedSizes(const store::StoredExploration& exploration)
{
    const auto& recommendation = exploration.summary.recommendation;
    if (!recommendation)
        return {};
    const store::ExplorationInfo& info = exploration.summary.info;
    const config::BatchPlan plan{.globalBatchSize = info.globalBatchSize, .devices = info.configDevices};
    return predictedSizes(exploration.trials, {.recommended = recommendation->microBatchSize,
                                               .batch = plan.perDeviceBatch(),
                                               .trains = isOfTraining(info),
                                               .processes = info.processes});
}

std::optional<PredictedSize> predictedSize(const store::StoredExploration& exploration, std::int64_t size,
                                           std::int64_t batch)
{
    const std::vector<Measurement> sound = soundTrials(exploration.trials);
    const std::int64_t largest = accumulation::evenSpread(batch, size).largest();
    const auto [min, max] = std::ranges::minmax_element(sound, {}, &Measurement::size);
    if (sound.empty() || largest < min->size || largest > max->size)
        return std::nullopt;
    const store::ExplorationInfo& info = exploration.summary.info;
    const Question question{
        .recommended = size, .batch = batch, .trains = isOfTraining(info), .processes = info.processes};
    return predict(question, sound, {size}).front();
}

std::vector<PredictedSize> predictedSizes(const Snapshot& snapshot)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    if (!recommendation || !snapshot.run)
        return {};
    return predictedSizes(snapshot.trials, {.recommended = recommendation->size,
                                            .batch = snapshot.run->plan.perDeviceBatch(),
                                            .trains = snapshot.run->phase == model::Phase::Train,
                                            .processes = snapshot.run->processes});
}

} // namespace batchpeak::engine
