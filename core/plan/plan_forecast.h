// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan_preview.h"
#include "search/strategy.h"
#include "store/exploration_records.h"

#include <QString>

#include <optional>

namespace batchpeak::engine {

/// Forecast of what an exploration will take, before its first trial has run; the search gives a better one
/// after each trial. The trial of the final size in a fresh process is not included.
///
/// Before anything runs, the speed of a device is unknown: the seconds are those of an earlier exploration,
/// or absent.
struct PlanForecast
{
    search::Estimate trials;
    /// Whether training and evaluation take this many trials each; then seconds are given for neither.
    bool isForEachPhase = false;
    int maxTrials = 0;
    /// Expected time [s]; nothing if nothing like this run has run on these devices.
    std::optional<search::Estimate> seconds;
    /// Whether the earlier exploration had the same goal, so that this one is expected to take equally long.
    bool isAsLastTime = false;
    /// Whether the earlier trials count in this exploration, which then needs only a few of its own.
    bool isRecalled = false;
    /// Time budget [s]; nothing if the time is not limited.
    std::optional<double> maxSeconds;
};

/// Returns the forecast for a preview that has a plan. A history that cannot be read is ignored here: an
/// exploration reports it when it writes there.
///
/// \param preview  preview with a plan
/// \param storePath  path of the history; empty if there is none
PlanForecast planForecast(const PlanPreview& preview, const QString& storePath);

/// "About 20 trials (10 to 35, at most 64). 2 to 4 min, as last time here. No longer than 10 min."
QString planForecastText(const PlanForecast& forecast);

} // namespace batchpeak::engine
