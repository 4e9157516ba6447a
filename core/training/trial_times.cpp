// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_times.h"

#include "accumulation/micro_batches.h"
#include "search/step_time_draws.h"
#include "search/throughput.h"
#include "trial/step_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace batchpeak::training {

namespace {

using search::Measurement;

PredictedSpeed speedOf(const std::vector<double>& drawn)
{
    double sum = 0.0;
    double sumOfSquares = 0.0;
    for (const double samplesPerSecond : drawn) {
        sum += samplesPerSecond;
        sumOfSquares += samplesPerSecond * samplesPerSecond;
    }
    const auto count = static_cast<double>(drawn.size());
    const double mean = sum / count;
    return {.samplesPerSecond = mean,
            .relativeError = std::sqrt(std::max(0.0, sumOfSquares / count - mean * mean)) / mean};
}

} // namespace

void TrialTimes::add(const Measurement& trial)
{
    m_trials[trial.size].push_back(trial);
}

void TrialTimes::exclude(std::int64_t microBatchSize)
{
    m_excluded.insert(microBatchSize);
}

std::vector<std::int64_t> TrialTimes::sizes() const
{
    std::vector<std::int64_t> sizes;
    for (const auto& [size, trials] : m_trials) {
        if (!m_excluded.contains(size))
            sizes.push_back(size);
    }
    return sizes;
}

std::vector<PredictedSpeed> TrialTimes::predict(std::int64_t batch,
                                                const std::vector<std::int64_t>& microBatchSizes) const
{
    std::vector<std::int64_t> asked;
    for (const std::int64_t size : microBatchSizes) {
        const auto spread = accumulation::evenSpread(batch, size);
        asked.push_back(spread.size);
        asked.push_back(spread.largest());
    }
    const search::StepTimeDraws draws(counted(), asked);
    const search::Throughput throughput({.objective = search::Objective::Effective, .perDeviceBatch = batch},
                                        optimizerSeconds());

    std::vector<PredictedSpeed> speeds;
    for (const std::int64_t size : microBatchSizes) {
        std::vector<double> drawn;
        for (std::size_t draw = 0; draw < draws.count(); ++draw)
            drawn.push_back(throughput.samplesPerSecond(
                size, [&](std::int64_t samples) { return draws.seconds(draw, samples); }));
        speeds.push_back(speedOf(drawn));
    }
    return speeds;
}

double TrialTimes::optimizerSeconds() const
{
    std::vector<double> seconds;
    for (const Measurement& trial : counted()) {
        if (trial.optimizerSeconds > 0.0)
            seconds.push_back(trial.optimizerSeconds);
    }
    return trial::typicalStepSeconds(seconds).value_or(0.0);
}

// As the search is told of a disturbed trial's repetitions: the calm ones, or else the fastest.
std::vector<Measurement> TrialTimes::counted() const
{
    std::vector<Measurement> all;
    for (const std::int64_t size : sizes()) {
        const std::vector<Measurement>& trials = m_trials.at(size);
        const auto firstOfSize = all.size();
        std::ranges::copy_if(trials, std::back_inserter(all), std::logical_not(), &Measurement::disturbed);
        if (all.size() == firstOfSize)
            all.push_back(*std::ranges::min_element(trials, {}, &Measurement::secondsPerStep));
    }
    return all;
}

} // namespace batchpeak::training
