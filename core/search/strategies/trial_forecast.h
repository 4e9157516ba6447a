// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <array>
#include <cstddef>

namespace batchpeak::search {

/// What tells how far a search is that ends when it is sure enough.
struct ForecastCase
{
    /// Of a trial so far, in the mean [s].
    double meanSeconds = 0.0;
    /// Of the next trial, and of one of the largest size that may fit, as predicted [s].
    double nextSeconds = 0.0;
    double largestSeconds = 0.0;
    /// Share of the tolerance that the recommendation is expected to cost.
    double lossShare = 1.0;
    /// Sizes that beat the recommended one on more than a few of the paths.
    int rivals = 0;
    /// Of the paths, in which the likeliest best size is the best one.
    double leadingShare = 0.0;
    /// Relative, of one step of the recommended size.
    double stepDeviation = 0.01;
};

/// Rivals of less are left out of ForecastCase::rivals.
constexpr double countedRival = 0.02;

/// What forecastOf() weighs, for those who fit its weights.
constexpr std::size_t forecastTermCount = 7;
using ForecastTerms = std::array<double, forecastTermCount>;
ForecastTerms forecastTerms(const ForecastCase& situation);

/// Trials still to come and their time, as searches on simulated and recorded devices went on from such a
/// case: the median, and the quantiles of 10 and 90 %. Log-linear quantile regressions (Koenker and Bassett,
/// Econometrica 46, 1978); "make bench-time-left" judges them.
///
/// How long a search takes is mostly chance and the device: whether sizes are close to each other shows only
/// while they are told apart.
Forecast forecastOf(const ForecastCase& situation);

/// The same of a whole search of many sizes, before its first trial.
Estimate trialsOfASearch();

} // namespace batchpeak::search
