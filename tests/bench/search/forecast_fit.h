// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategies/trial_forecast.h"
#include "search_runner.h"

#include <span>
#include <vector>

/// One moment of a search: what was known, and what it still took.
struct ForecastUpdate
{
    batchpeak::search::ForecastTerms terms{};
    double trials = 0.0;
    /// In mean trials so far, as core/search has it.
    double time = 0.0;
    /// All moments of one search together count 1.
    double weight = 1.0;
};

std::vector<ForecastUpdate> forecastUpdates(const SearchRecord& record);

/// The weights that put this share of the lessons below what they say: exp(weights * terms), of \p what.
///
/// Quantile regression (Koenker and Bassett, Econometrica 46, 1978), by weighted least squares over and over.
batchpeak::search::ForecastTerms fitForecast(std::span<const ForecastUpdate> lessons,
                                             double ForecastUpdate::*what, double share);
