// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>

namespace batchpeak::trial {

/// The time of one step [s], from the timed steps of one trial, such that a stall or a lucky step
/// cannot move it: the mean of the middle 60 % of them.
///
/// It decides where one trial lies. How sure that is takes other trials too: a trial of five steps
/// cannot tell its own noise, and noise between runs stays however many steps a trial has. Both
/// belong to the search.
///
/// \param seconds  wall time of each timed step [s], warm-up excluded, in any order
/// \return nothing if there is no step, or one that is not a positive number
///
/// Midmean: Tukey, Exploratory Data Analysis (1977), ch. 19.
std::optional<double> typicalStepSeconds(std::span<const double> seconds);

/// The relative standard error of typicalStepSeconds as far as this one trial can tell it: for a
/// person who looks at one trial, and for a search that is not given the steps themselves.
///
/// \param seconds  as above
/// \return nothing where typicalStepSeconds gives nothing, and for one or two steps, which tell no
///         spread
///
/// The spread is the range of the middle over its expected size in normal data (Blom's positions,
/// Statistical Estimates and Transformed Beta-Variables, 1958); the mean of n such steps then has
/// sqrt(2 / n) of it, the 2 for robustness and for steps that resemble their neighbours, found on
/// simulated searches.
std::optional<double> relativeStandardError(std::span<const double> seconds);

} // namespace batchpeak::trial
