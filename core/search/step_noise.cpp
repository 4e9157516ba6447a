// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace batchpeak::search {

namespace {

/// Steps of a trial that does not send them: what a proposal asks for at least.
constexpr double assumedSteps = 5.0;
/// Variance of a robust mean over that of the steps: lost efficiency, and correlation between steps.
constexpr double meanInflation = 2.0;
/// What is believed before any trial, and as how many trials.
constexpr double priorDeviation = 0.01;
constexpr double priorWeight = 2.0;
/// Trials whose times differ by this in their logarithm lend less of their noise by a factor e.
constexpr double poolingDistance = 0.7;
constexpr double poolWeight = 6.0;
/// One disturbed trial must not make all others look noisy.
constexpr double outlierRatio = 3.0;
constexpr std::size_t trialsToKnowOutliers = 3;

double normalQuantile(double probability)
{
    double low = -9.0;
    double high = 9.0;
    while (high - low > 1e-12) {
        const double middle = 0.5 * (low + high);
        (0.5 * std::erfc(-middle / std::numbers::sqrt2) < probability ? low : high) = middle;
    }
    return low;
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

} // namespace

StepScatter stepScatter(const Measurement& trial)
{
    const std::size_t count = trial.stepSeconds.size();
    if (count == 0) {
        if (!trial.relativeError || !std::isfinite(*trial.relativeError) || *trial.relativeError < 0.0)
            return {.steps = assumedSteps};
        return {.deviation = *trial.relativeError * std::sqrt(assumedSteps / meanInflation),
                .degreesOfFreedom = 0.5 * (assumedSteps - 1.0),
                .steps = assumedSteps};
    }
    const auto steps = static_cast<double>(count);
    if (count <= 2)
        return {.steps = steps};

    std::vector<double> sorted = trial.stepSeconds;
    std::ranges::sort(sorted);
    const std::size_t dropped = std::max<std::size_t>(count / 5, count <= 4 ? 1 : 0);
    const double range = sorted[count - 1 - dropped] - sorted[dropped];
    double deviation = 0.0;
    if (count > 2 * dropped + 1) {
        const double rank = (steps - static_cast<double>(dropped) - 0.375) / (steps + 0.25);
        deviation = range / trial.secondsPerStep / (2.0 * normalQuantile(rank));
    } else {
        const double whole = sorted.back() - sorted.front();
        deviation = whole / trial.secondsPerStep / (2.0 * normalQuantile((steps - 0.375) / (steps + 0.25)));
    }
    return {.deviation = deviation, .degreesOfFreedom = std::max(1.4, 0.5 * (steps - 1.0)), .steps = steps};
}

std::vector<double> pooledErrors(const std::vector<Measurement>& trials)
{
    std::vector<StepScatter> scatters;
    std::vector<double> deviations;
    for (const Measurement& trial : trials) {
        scatters.push_back(stepScatter(trial));
        if (scatters.back().degreesOfFreedom > 0.0)
            deviations.push_back(scatters.back().deviation);
    }
    const bool knowsOutliers = deviations.size() >= trialsToKnowOutliers;
    const double bound = knowsOutliers ? outlierRatio * median(deviations) : HUGE_VAL;

    std::vector<double> errors;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        double weights = priorWeight;
        double variance = priorWeight * priorDeviation * priorDeviation;
        for (std::size_t j = 0; j < trials.size(); ++j) {
            const double distance = std::abs(std::log(trials[j].secondsPerStep / trials[i].secondsPerStep));
            const double weight = scatters[j].degreesOfFreedom * std::exp(-distance / poolingDistance);
            const double deviation = std::min(scatters[j].deviation, bound);
            weights += weight;
            variance += weight * deviation * deviation;
        }
        const StepScatter& own = scatters[i];
        const double ownVariance = own.degreesOfFreedom * own.deviation * own.deviation;
        const double pooled =
            (ownVariance + poolWeight * variance / weights) / (own.degreesOfFreedom + poolWeight);
        errors.push_back(std::sqrt(pooled * meanInflation / own.steps));
    }
    return errors;
}

} // namespace batchpeak::search
