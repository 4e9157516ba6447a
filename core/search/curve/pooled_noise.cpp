// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "pooled_noise.h"

#include "normal_quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace batchpeak::search {

namespace {

// Pooling: a scale of 1 % with the weight of two degrees of freedom stands before all trials; trials of
// step times apart by a factor of e count exp(-1/0.7) as much; each trial leans on the pool with the
// weight of six degrees of freedom. Found on simulated searches.
constexpr double priorScale = 0.01;
constexpr double priorWeight = 2.0;
constexpr double likeness = 0.7;
constexpr double poolWeight = 6.0;
/// Variance of a robust location over that of a mean, with the correlation of successive steps.
constexpr double locationVariance = 2.0;
/// Steps of a trial that does not tell: what a proposal asks for at least.
constexpr double assumedSteps = 5.0;
/// One disturbed trial must not make all others look noisy.
constexpr double outlierFactor = 3.0;
constexpr std::size_t fewestForMedian = 3;
constexpr double leastDegreesOfFreedom = 1.4;

} // namespace

RawNoise rawNoise(const Measurement& trial)
{
    const double steps = trial.timedSteps() > 0.0 ? trial.timedSteps() : assumedSteps;
    if (steps <= 2.0)
        return {};
    const double degreesOfFreedom = std::max(leastDegreesOfFreedom, 0.5 * (steps - 1.0));
    if (trial.stepSeconds.empty()) {
        if (!trial.relativeError || !std::isfinite(*trial.relativeError) || *trial.relativeError < 0.0)
            return {};
        return {.scale = *trial.relativeError * std::sqrt(steps / locationVariance),
                .degreesOfFreedom = degreesOfFreedom};
    }
    std::vector<double> sorted = trial.stepSeconds;
    std::ranges::sort(sorted);
    const std::size_t dropped = sorted.size() / 5;
    const double range = sorted[sorted.size() - 1 - dropped] - sorted[dropped];
    const double quantile = normalQuantile((steps - static_cast<double>(dropped) - 0.375) / (steps + 0.25));
    return {.scale = range / trial.secondsPerStep / (2.0 * quantile), .degreesOfFreedom = degreesOfFreedom};
}

PooledNoise::PooledNoise(const std::vector<Measurement>& trials)
    : m_largestScale(std::numeric_limits<double>::infinity())
{
    std::vector<double> scales;
    for (const Measurement& trial : trials) {
        const double steps = trial.timedSteps() > 0.0 ? trial.timedSteps() : assumedSteps;
        m_trials.push_back({.seconds = trial.secondsPerStep, .steps = steps, .raw = rawNoise(trial)});
        if (m_trials.back().raw.degreesOfFreedom > 0.0)
            scales.push_back(m_trials.back().raw.scale);
    }
    if (scales.size() >= fewestForMedian) {
        const auto middle = scales.begin() + static_cast<std::ptrdiff_t>(scales.size() / 2);
        std::ranges::nth_element(scales, middle);
        m_largestScale = outlierFactor * *middle;
    }
}

double PooledNoise::pooledAt(double seconds) const
{
    double weights = priorWeight;
    double variance = priorWeight * priorScale * priorScale;
    for (const Trial& trial : m_trials) {
        const double weight =
            trial.raw.degreesOfFreedom * std::exp(-std::abs(std::log(trial.seconds / seconds)) / likeness);
        const double scale = std::min(trial.raw.scale, m_largestScale);
        weights += weight;
        variance += weight * scale * scale;
    }
    return std::sqrt(variance / weights);
}

double PooledNoise::standardError(std::size_t index) const
{
    const Trial& trial = m_trials[index];
    const double pooled = pooledAt(trial.seconds);
    const double own = trial.raw.degreesOfFreedom;
    const double variance =
        (own * trial.raw.scale * trial.raw.scale + poolWeight * pooled * pooled) / (own + poolWeight);
    return std::sqrt(variance * locationVariance / trial.steps);
}

double PooledNoise::standardErrorAt(double seconds, double steps) const
{
    return pooledAt(seconds) * std::sqrt(locationVariance / steps);
}

} // namespace batchpeak::search
