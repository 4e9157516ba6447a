// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "noise_model.h"

#include "trial/step_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace batchpeak::search {

namespace {

// Pooling: the prior is a scale of 1 % with the weight of two degrees of freedom. Trials whose step times
// differ by a factor of e count exp(-1/0.7) as much. Each trial is combined with the pool, which has the
// weight of six degrees of freedom. These values were found on simulated searches.
constexpr double priorScale = 0.01;
constexpr double priorWeight = 2.0;
constexpr double likeness = 0.7;
constexpr double poolWeight = 6.0;
/// Variance of a robust location divided by that of a mean, including the correlation of successive steps.
constexpr double locationVariance = 2.0;
/// Number of steps of a trial that does not report it: the minimum that a proposal asks for.
constexpr double assumedSteps = 5.0;
/// One disturbed trial must not make all others look noisy.
constexpr double outlierFactor = 3.0;
constexpr std::size_t fewestForMedian = 3;
constexpr double minDegreesOfFreedom = 1.4;

/// Returns the steps relative to the typical one of their visit, since the speed of a visit is not noise of
/// its steps.
std::vector<double> stepsWithinVisits(const std::vector<trial::Visit>& visits)
{
    const std::vector<double> typical = trial::typicalStepSecondsOf(visits);
    std::vector<double> steps;
    for (std::size_t visit = 0; visit < visits.size(); ++visit) {
        for (const double seconds : visits[visit].stepSeconds)
            steps.push_back(seconds / typical[visit]);
    }
    return steps;
}

std::optional<double> errorOfSteps(const Measurement& trial)
{
    if (!trial.visits.empty())
        return trial::relativeStandardError(stepsWithinVisits(trial.visits));
    return trial.stepSeconds.empty() ? trial.relativeError : trial::relativeStandardError(trial.stepSeconds);
}

} // namespace

NoiseEstimate estimateNoise(const Measurement& trial)
{
    const double steps = trial.timedSteps() > 0.0 ? trial.timedSteps() : assumedSteps;
    const double locations = std::max(1.0, static_cast<double>(trial.visits.size()));
    if (steps <= 2.0 * locations)
        return {};
    const double degreesOfFreedom = std::max(minDegreesOfFreedom, 0.5 * (steps - locations));
    const std::optional<double> error = errorOfSteps(trial);
    if (!error || !std::isfinite(*error) || *error < 0.0)
        return {};
    // Each visit's location is estimated from its own steps, so that they scatter less about it.
    const double spread = std::sqrt((steps - 1.0) / (steps - locations));
    return {.scale = spread * *error * std::sqrt(steps / locationVariance),
            .degreesOfFreedom = degreesOfFreedom};
}

NoiseModel::NoiseModel(const std::vector<Measurement>& trials)
    : m_largestScale(std::numeric_limits<double>::infinity())
{
    std::vector<double> scales;
    for (const Measurement& trial : trials) {
        const double steps = trial.timedSteps() > 0.0 ? trial.timedSteps() : assumedSteps;
        m_trials.push_back({.seconds = trial.secondsPerStep, .steps = steps, .raw = estimateNoise(trial)});
        if (m_trials.back().raw.degreesOfFreedom > 0.0)
            scales.push_back(m_trials.back().raw.scale);
    }
    if (scales.size() >= fewestForMedian) {
        const auto middle = scales.begin() + static_cast<std::ptrdiff_t>(scales.size() / 2);
        std::ranges::nth_element(scales, middle);
        m_largestScale = outlierFactor * *middle;
    }
}

double NoiseModel::pooledDeviation(double seconds) const
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

double NoiseModel::standardError(std::size_t index) const
{
    const Trial& trial = m_trials[index];
    const double pooled = pooledDeviation(trial.seconds);
    const double own = trial.raw.degreesOfFreedom;
    const double variance =
        (own * trial.raw.scale * trial.raw.scale + poolWeight * pooled * pooled) / (own + poolWeight);
    return std::sqrt(variance * locationVariance / trial.steps);
}

double NoiseModel::standardErrorAt(double seconds, double steps) const
{
    return pooledDeviation(seconds) * std::sqrt(locationVariance / steps);
}

} // namespace batchpeak::search
