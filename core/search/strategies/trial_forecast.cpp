// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_forecast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchpeak::search {

namespace {

/// Weights of the median, and of the quantiles of 10 and 90 %.
struct Weights
{
    ForecastTerms likely;
    ForecastTerms low;
    ForecastTerms high;
};

// Printed by "make bench-time-left BENCH=--fit"; the terms are in the order of forecastTerms().
constexpr Weights trialWeights{.likely = {2.428, 0.129, -0.052, 0.076, -0.621, 0.178, 0.155},
                               .low = {0.890, 0.144, 0.092, 0.126, -0.085, 0.123, 0.250},
                               .high = {2.931, 0.108, -0.050, 0.052, -0.486, 0.097, 0.143}};
constexpr Weights timeWeights{.likely = {2.546, 0.133, 0.403, 0.224, -0.630, 0.205, 0.220},
                              .low = {0.746, 0.167, 0.798, 0.137, -0.121, 0.081, 0.312},
                              .high = {3.333, 0.093, 0.330, 0.326, -0.542, 0.186, 0.221}};
constexpr Estimate wholeSearch{.likely = 20.0, .low = 10.0, .high = 28.0};

constexpr double minSeconds = 1e-3;
constexpr double minDeviation = 1e-4;
constexpr double minLoss = 0.01;

double ratio(double seconds, double mean)
{
    return std::max(seconds, minSeconds) / std::max(mean, minSeconds);
}

double weighed(const ForecastTerms& terms, const ForecastTerms& weights)
{
    return std::exp(std::inner_product(terms.begin(), terms.end(), weights.begin(), 0.0));
}

/// Quantiles that were fitted one by one may cross.
Estimate estimateOf(const ForecastTerms& terms, const Weights& weights, double unit)
{
    const double likely = unit * weighed(terms, weights.likely);
    return {.likely = likely,
            .low = std::min(unit * weighed(terms, weights.low), likely),
            .high = std::max(unit * weighed(terms, weights.high), likely)};
}

} // namespace

ForecastTerms forecastTerms(const ForecastCase& situation)
{
    return {1.0,
            std::log1p(situation.rivals),
            std::log(ratio(situation.nextSeconds, situation.meanSeconds)),
            std::log1p(ratio(situation.largestSeconds, situation.meanSeconds)),
            situation.leadingShare,
            std::log(situation.stepDeviation + minDeviation),
            std::log(situation.lossShare + minLoss)};
}

Forecast forecastOf(const ForecastCase& situation)
{
    const ForecastTerms terms = forecastTerms(situation);
    return {.trials = estimateOf(terms, trialWeights, 1.0),
            .seconds = estimateOf(terms, timeWeights, std::max(situation.meanSeconds, minSeconds))};
}

Estimate trialsOfASearch()
{
    return wholeSearch;
}

} // namespace batchpeak::search
