// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_forecast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchpeak::search {

namespace {

/// For the median, and for the quantiles of 10 and 90 %.
struct Weights
{
    ForecastTerms likely;
    ForecastTerms low;
    ForecastTerms high;
};

// Printed by "make bench-time-left BENCH=--fit"; the terms are in the order of forecastTerms().
constexpr Weights trialWeights{.likely = {3.391, 0.190, -0.127, 0.117, -1.363, 0.364, 0.071},
                               .low = {1.626, 0.183, -0.076, -0.032, -0.614, 0.195, 0.183},
                               .high = {4.300, 0.137, -0.109, 0.130, -1.505, 0.326, 0.025}};
constexpr Weights timeWeights{.likely = {3.628, 0.192, 0.297, 0.351, -1.249, 0.439, 0.136},
                              .low = {1.396, 0.220, 0.608, 0.149, -0.577, 0.191, 0.212},
                              .high = {4.873, 0.144, 0.177, 0.620, -1.363, 0.518, 0.108}};
constexpr Estimate wholeSearch{.likely = 20.0, .low = 9.0, .high = 51.0};

constexpr double leastSeconds = 1e-3;
constexpr double leastDeviation = 1e-4;
constexpr double leastLoss = 0.01;

double ratio(double seconds, double mean)
{
    return std::max(seconds, leastSeconds) / std::max(mean, leastSeconds);
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
            std::log(situation.stepDeviation + leastDeviation),
            std::log(situation.lossShare + leastLoss)};
}

Forecast forecastOf(const ForecastCase& situation)
{
    const ForecastTerms terms = forecastTerms(situation);
    return {.trials = estimateOf(terms, trialWeights, 1.0),
            .seconds = estimateOf(terms, timeWeights, std::max(situation.meanSeconds, leastSeconds))};
}

Estimate trialsOfASearch()
{
    return wholeSearch;
}

} // namespace batchpeak::search
