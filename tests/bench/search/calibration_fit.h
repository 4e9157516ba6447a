// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategies/calibration.h"
#include "search_runner.h"

#include <span>
#include <string>
#include <vector>

/// One report of a search: the terms of its confidence, and whether its recommendation was right.
struct CalibrationReport
{
    batchpeak::search::CalibrationTerms terms{};
    bool isRight = false;
    double regret = 0.0;
    double ramps = 0.0;
};

/// Reports of one search whose confidence comes from the weights, ordered by time.
using CalibrationReports = std::vector<CalibrationReport>;

/// Returns the reports from the second timed trial on: after one trial, nothing is known of the curve.
CalibrationReports calibrationReports(const SearchRecord& record);

/// Returns the probability that these weights state, computed as in core/search.
double probability(const batchpeak::search::CalibrationTerms& weights,
                   const batchpeak::search::CalibrationTerms& terms);

/// Returns the weights with the greatest likelihood over first passages: the reports that state more than any
/// previous one of the same search, since a user believes a probability and a search stops when it is first
/// reached. A report is weighted by its rise, and the passages are determined anew with each fit.
///
/// Newton's method for the logistic regression (McCullagh and Nelder, Generalized Linear Models, 1989, ch.
/// 4), with a ridge of 1e-3 against terms that never change.
///
/// \param searches  searches that continued to the end
batchpeak::search::CalibrationTerms fitCalibration(std::span<const CalibrationReports> searches);

/// Returns the accuracy of searches if they stated the probabilities of \p weights and stopped by them.
///
/// \param searches  searches that continued to the end
std::string calibrationCheck(const batchpeak::search::CalibrationTerms& weights,
                             std::span<const CalibrationReports> searches);

/// Returns the names of the columns of calibrationCheck().
std::string calibrationCheckHeading();
