// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace batchpeak::search {

/// What speaks for a recommendation, and what was asked.
///
/// The number of trials is no part of it, nor what grows with it: searches that need many are those that are
/// hard, and who counts them states what the evidence does not.
struct CalibrationCase
{
    double tolerance = 0.02;
    bool severalDevices = false;
    /// Of the paths in which the size is within the tolerance, 0..1; steadied.
    double share = 0.0;
    /// The recommended one.
    std::int64_t size = 0;
};

/// A share of paths in the light of the steadied one before it: with each trial a share moves by more than
/// the trial tells.
///
/// \param before  nothing for the first one
double steadied(double share, std::optional<double> before);

/// The share of another size as if it had been steadied as this one was, whose share by the paths alone is
/// \p bare: both are then of one moment.
double steadiedLike(double share, double bare, double steadied);

/// What calibratedProbability() weighs, for those who fit its weights: "make calibrate-search".
using CalibrationTerms = std::array<double, 4>;
CalibrationTerms calibrationTerms(const CalibrationCase& situation);
/// The weight of each term.
CalibrationTerms calibrationWeights();

/// Turns the share of paths in which a size is within tolerance into a probability that holds when it is
/// first reached: raw shares are too modest when low and nearly true when high. A logistic regression, fitted
/// on simulated searches in every restless world.
double calibratedProbability(const CalibrationCase& situation);

/// The mean over paths of what a size loses, as the loss to be expected.
double calibratedLoss(double meanOverPaths);

/// A probability as the confidence that a person reads: whole percent, 1..99.
int confidencePercent(double probability);

} // namespace batchpeak::search
