// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <array>
#include <cstddef>

namespace batchpeak::search {

/// The inputs from which to forecast how long a search takes that ends at a target confidence.
struct ForecastCase
{
    /// Mean time of the trials so far [s].
    double meanSeconds = 0.0;
    /// Predicted time of the next trial, and of a trial of the largest size that may fit [s].
    double nextSeconds = 0.0;
    double largestSeconds = 0.0;
    /// Expected loss of the recommendation, as a share of the tolerance.
    double lossShare = 1.0;
    /// Number of sizes that beat the recommended one on more than a few of the paths.
    int rivals = 0;
    /// Share of the paths in which the likeliest best size is the best one.
    double leadingShare = 0.0;
    /// Relative standard deviation of one step of the recommended size.
    double stepDeviation = 0.01;
};

/// ForecastCase::rivals leaves out rivals with a lower probability.
constexpr double countedRival = 0.02;

/// The terms that forecastOf() weights, for code that fits its weights.
constexpr std::size_t forecastTermCount = 7;
using ForecastTerms = std::array<double, forecastTermCount>;
ForecastTerms forecastTerms(const ForecastCase& situation);

/// Returns the number of trials still to come and their time, based on how searches on simulated and recorded
/// devices went on from such a case: the median, and the quantiles of 10 and 90 %. Log-linear quantile
/// regressions (Koenker and Bassett, Econometrica 46, 1978); "make bench-time-left" evaluates them.
///
/// The duration of a search depends mostly on chance and the device: only the attempt to tell sizes apart
/// shows whether they are close to each other.
Forecast forecastOf(const ForecastCase& situation);

/// Returns the same for a whole search of many sizes, before its first trial.
Estimate trialsOfASearch();

} // namespace batchpeak::search
