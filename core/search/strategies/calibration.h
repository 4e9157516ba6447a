// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace batchpeak::search {

/// The evidence for a recommendation, and the question that was asked.
///
/// The number of trials is not part of it, nor anything that grows with it: searches that need many trials
/// are the hard ones, and counting them would state what the evidence does not show.
struct CalibrationCase
{
    double tolerance = 0.02;
    bool severalDevices = false;
    /// Share of the paths in which the size is within the tolerance, 0..1; steadied.
    double share = 0.0;
    /// The recommended size.
    std::int64_t size = 0;
};

/// Returns a share of paths, smoothed with the steadied share before it: with each trial, a share moves by
/// more than the trial tells.
///
/// \param before  nothing for the first share
double steadied(double share, std::optional<double> before);

/// Returns the share of another size as if it had been steadied like \p steadied, whose unsteadied share of
/// the paths is \p bare. Both then belong to the same moment.
double steadiedLike(double share, double bare, double steadied);

/// The terms that calibratedProbability() weights, for code that fits its weights: "make calibrate-search".
using CalibrationTerms = std::array<double, 4>;
CalibrationTerms calibrationTerms(const CalibrationCase& situation);
/// Returns the weight of each term.
CalibrationTerms calibrationWeights();

/// Turns the share of paths in which a size is within the tolerance into a probability that holds when it is
/// first reached: raw shares are too modest when low and nearly true when high. A logistic regression, fitted
/// to simulated searches in every restless world.
double calibratedProbability(const CalibrationCase& situation);

/// Returns the expected loss of a size, given the mean of its loss over the paths.
double calibratedLoss(double meanOverPaths);

/// Converts a probability into the confidence that a person reads: whole percent, 1..99.
int confidencePercent(double probability);

} // namespace batchpeak::search
