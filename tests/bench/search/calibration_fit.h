// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategies/calibration.h"
#include "search_runner.h"

#include <span>
#include <string>
#include <vector>

/// One report of a search: what its confidence rested on, and whether its recommendation was right.
struct CalibrationReport
{
    batchpeak::search::CalibrationTerms terms{};
    bool isRight = false;
    double regret = 0.0;
    double ramps = 0.0;
};

/// Reports of one search whose confidence comes from the weights, in order of time.
using CalibrationReports = std::vector<CalibrationReport>;

/// Reports from the second timed trial on: with one, nothing is known of the curve.
CalibrationReports calibrationReports(const SearchRecord& record);

/// As core/search has it: the probability that these weights state.
double probability(const batchpeak::search::CalibrationTerms& weights,
                   const batchpeak::search::CalibrationTerms& terms);

/// The weights with the greatest likelihood over first passages: the reports that state more than any before
/// them in the same search, since it is when a probability is first reached that a person believes it and a
/// search stops. A report counts by how far it rises, and the passages are found anew with each fit.
///
/// Newton's method for the logistic regression (McCullagh and Nelder, Generalized Linear Models, 1989, ch.
/// 4), with a ridge of 1e-3 against terms that never change.
///
/// \param searches  that went on to the end
batchpeak::search::CalibrationTerms fitCalibration(std::span<const CalibrationReports> searches);

/// How honest searches were or would be, had they stated \p weights' probabilities and stopped by them.
///
/// \param searches  that went on to the end
std::string calibrationCheck(const batchpeak::search::CalibrationTerms& weights,
                             std::span<const CalibrationReports> searches);

/// Names of the columns of the above.
std::string calibrationCheckHeading();
