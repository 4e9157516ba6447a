// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategies/trial_forecast.h"
#include "search_runner.h"

#include <span>
#include <vector>

/// One moment of a search: its forecast terms, and the cost of the rest of the search.
struct ForecastUpdate
{
    batchpeak::search::ForecastTerms terms{};
    double trials = 0.0;
    /// Time in units of the mean trial so far, as in core/search.
    double time = 0.0;
    /// Weight; those of all moments of one search sum to 1.
    double weight = 1.0;
};

std::vector<ForecastUpdate> forecastUpdates(const SearchRecord& record);

/// Returns the weights with which this share of the lessons' \p what lies below exp(weights * terms).
///
/// Quantile regression (Koenker and Bassett, Econometrica 46, 1978), by iterated weighted least squares.
batchpeak::search::ForecastTerms fitForecast(std::span<const ForecastUpdate> lessons,
                                             double ForecastUpdate::*what, double share);
