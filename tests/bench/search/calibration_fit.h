// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_runner.h"

#include <span>
#include <string>
#include <vector>

/// p = 1 / (1 + exp(-(intercept + slope logit(share) + growth ln(trials / 8)))), as core/search applies it.
struct CalibrationMap
{
    double intercept = 0.0;
    double slope = 1.0;
    double growth = 0.0;

    double probability(double share, int trials) const;
};

/// One report of a search: the share of paths that spoke for its recommendation, and whether that was right.
struct CalibrationReport
{
    double share = 0.0;
    int trials = 0;
    bool isRight = false;
    double regret = 0.0;
    double ramps = 0.0;
};

/// Reports of one search whose confidence comes from the map, in order of time.
using CalibrationReports = std::vector<CalibrationReport>;

/// Reports from the second timed trial on: with one, nothing is known of the curve.
CalibrationReports calibrationReports(const SearchRecord& record);

/// The map with the greatest likelihood, where every search counts the same however many reports it has.
/// Newton's method for the logistic regression (McCullagh and Nelder, Generalized Linear Models, 1989, ch.
/// 4), with a ridge of 1e-6 per search against a flat direction.
CalibrationMap fitCalibration(std::span<const CalibrationReports> searches);

/// How honest a search was or would be, had it stated \p map's probabilities and stopped by them, as
/// core/search does: twice in a row at 95 %, or once at 98.5 %.
///
/// \param searches  that went on to the end
std::string calibrationCheck(const CalibrationMap& map, std::span<const CalibrationReports> searches);

/// Names of the columns of the above.
std::string calibrationCheckHeading();
