// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "noise_model.h"

#include <algorithm>
#include <array>
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

// Coefficients of AS 241.

using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients& coefficients, double x)
{
    double value = 0.0;
    for (std::size_t i = coefficients.size(); i-- > 0;)
        value = value * x + coefficients[i];
    return value;
}

constexpr Coefficients centreAbove{
    3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
    4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Coefficients centreBelow{1.0,
                                   4.2313330701600911252e+1,
                                   6.8718700749205790830e+2,
                                   5.3941960214247511077e+3,
                                   2.1213794301586595867e+4,
                                   3.9307895800092710610e+4,
                                   2.8729085735721942674e+4,
                                   5.2264952788528545610e+3};
constexpr Coefficients tailAbove{1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients tailBelow{1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
constexpr Coefficients farAbove{6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients farBelow{1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};

} // namespace

NoiseEstimate estimateNoise(const Measurement& trial)
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

double normalQuantile(double probability)
{
    const double fromCentre = probability - 0.5;
    if (std::abs(fromCentre) <= 0.425) {
        const double r = 0.180625 - fromCentre * fromCentre;
        return fromCentre * polynomial(centreAbove, r) / polynomial(centreBelow, r);
    }
    const double tail = std::sqrt(-std::log(fromCentre < 0.0 ? probability : 1.0 - probability));
    const double value = tail <= 5.0 ? polynomial(tailAbove, tail - 1.6) / polynomial(tailBelow, tail - 1.6)
                                     : polynomial(farAbove, tail - 5.0) / polynomial(farBelow, tail - 5.0);
    return std::copysign(value, fromCentre);
}

} // namespace batchpeak::search
