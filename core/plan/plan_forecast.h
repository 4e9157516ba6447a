// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan_preview.h"
#include "search/strategy.h"
#include "store/exploration_records.h"

#include <QString>

#include <optional>

namespace batchpeak::engine {

/// What an exploration will take, before its first trial has run; the search knows better after each. The
/// trial of the final size in a fresh process is left out.
///
/// No device tells how fast it is before anything runs on it: seconds are those of an earlier exploration, or
/// nobody's.
struct PlanForecast
{
    search::Estimate trials;
    /// Training and evaluation take so many each; seconds are told of neither then.
    bool isForEachPhase = false;
    int maxTrials = 0;
    /// [s]; nothing where nothing like it has run on these devices.
    std::optional<search::Estimate> seconds;
    /// Whether the earlier one asked for the same answer, so that it is expected to take as long again.
    bool isAsLastTime = false;
    /// Whether its trials count for this one, which is then done after a few of its own.
    bool isRecalled = false;
    /// [s]; nothing where time sets no bound.
    std::optional<double> maxSeconds;
};

/// A history that cannot be read is none: an exploration says so when it writes there.
///
/// \param outlook  with a plan
/// \param storePath  of the history; empty where there is none
PlanForecast planForecast(const PlanPreview& preview, const QString& storePath);

/// "About 20 trials (10 to 35, at most 64). 2 to 4 min, as last time here. No longer than 10 min."
QString planForecastText(const PlanForecast& forecast);

} // namespace batchpeak::engine
