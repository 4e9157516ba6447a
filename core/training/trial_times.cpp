// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_times.h"

#include "even_spread.h"
#include "step_statistics.h"
#include "throughput.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace batchpeak::training {

namespace {

using Curve = std::map<std::int64_t, double>;

/// A micro-batch costs something whatever its size, and something for each sample, so that between two
/// measured sizes its time lies on a straight line as long as both terms hold. Outside of them the nearest
/// one's time in proportion: a line through two noisy points may lead below zero there.
double secondsAt(const Curve& measured, std::int64_t size)
{
    const auto above = measured.lower_bound(size);
    if (above != measured.end() && above->first == size)
        return above->second;
    if (above == measured.begin() || above == measured.end()) {
        const auto& [nearest, seconds] = above == measured.end() ? *std::prev(above) : *above;
        return seconds * static_cast<double>(size) / static_cast<double>(nearest);
    }
    const auto& [low, lowSeconds] = *std::prev(above);
    const auto& [high, highSeconds] = *above;
    return std::lerp(lowSeconds, highSeconds,
                     static_cast<double>(size - low) / static_cast<double>(high - low));
}

/// An optimizer step works on the parameters, whatever the size of a micro-batch, but finds of them in the
/// caches what that has left there.
double optimizerSecondsAt(const Curve& measured, std::int64_t size)
{
    if (measured.empty())
        return 0.0;
    return secondsAt(measured, std::clamp(size, measured.begin()->first, measured.rbegin()->first));
}

} // namespace

void TrialTimes::add(const TimedTrial& trial)
{
    m_trials[trial.microBatchSize].push_back(trial);
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

double TrialTimes::samplesPerSecond(std::int64_t batch, std::int64_t microBatchSize) const
{
    Curve microBatch;
    Curve optimizer;
    for (const auto& [size, times] : typicalTimes()) {
        microBatch.emplace(size, times.seconds);
        if (times.optimizerSeconds)
            optimizer.emplace(size, *times.optimizerSeconds);
    }
    const std::int64_t largest = accumulation::evenSpread(batch, microBatchSize).largest();
    const search::Throughput throughput({.objective = search::Objective::Effective, .perDeviceBatch = batch},
                                        optimizerSecondsAt(optimizer, largest));
    return throughput.samplesPerSecond(microBatchSize,
                                       [&](std::int64_t m) { return secondsAt(microBatch, m); });
}

bool TrialTimes::knowOptimizer() const
{
    return std::ranges::any_of(m_trials, [](const auto& ofSize) {
        return std::ranges::any_of(
            ofSize.second, [](const TimedTrial& trial) { return trial.optimizerSeconds.has_value(); });
    });
}

// As the search is told of a disturbed trial's repetitions: the calm ones, or else the fastest.
TrialTimes::Times TrialTimes::typical(const std::vector<TimedTrial>& trials)
{
    std::vector<TimedTrial> counted = trials;
    std::erase_if(counted, &TimedTrial::isDisturbed);
    if (counted.empty())
        counted.push_back(*std::ranges::min_element(trials, {}, &TimedTrial::seconds));

    std::vector<double> seconds;
    std::vector<double> optimizerSeconds;
    for (const TimedTrial& trial : counted) {
        seconds.push_back(trial.seconds);
        if (trial.optimizerSeconds)
            optimizerSeconds.push_back(*trial.optimizerSeconds);
    }
    return {.seconds = trial::typicalStepSeconds(seconds).value_or(counted.front().seconds),
            .optimizerSeconds = trial::typicalStepSeconds(optimizerSeconds)};
}

std::map<std::int64_t, TrialTimes::Times> TrialTimes::typicalTimes() const
{
    std::map<std::int64_t, Times> times;
    for (const auto& [size, trials] : m_trials) {
        if (!m_excluded.contains(size))
            times.emplace(size, typical(trials));
    }
    return times;
}

} // namespace batchpeak::training
