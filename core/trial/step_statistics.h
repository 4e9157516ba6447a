// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

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
/// sqrt(2 / n) of it, the 2 for robustness and for steps that resemble their neighbors, found on
/// simulated searches.
std::optional<double> relativeStandardError(std::span<const double> seconds);

/// Whether a trial has warmed up, so that the next step may be timed: the last two steps agree within
/// 3 %, or waiting for that has cost five steps, a fifth of the trial's time, or two seconds after the first
/// step: clocks and caches have settled by then, and beside other programs steps of seconds never agree.
///
/// The very first step pays for lazy set-up (kernels chosen, caches filled), so it is not one of the
/// two that must agree; and two steps are taken whatever they cost.
///
/// \param seconds  wall time of each warm-up step so far [s], in their order
/// \param timeLimitSeconds  of the whole trial [s]
///
/// The figures were settled on recorded curves.
bool isWarm(std::span<const double> seconds, double timeLimitSeconds);

/// How far trials of the same size lie apart from run to run, learned from the trials of one process: what no
/// number of steps within one trial can show, since they share its clock, its neighbors and its memory.
///
/// It tells a person how sure one trial is. The search, which is given every step, has a model of its own.
class RunScatter
{
public:
    /// \param seconds  of one step of a trial that ended well [s], above 0
    void add(std::int64_t microBatchSize, double seconds);

    /// Standard deviation of a trial's time, relative to it: the pooled one of all sizes that were tried more
    /// than once, with 1 % as one more degree of freedom (run noise of GPUs is 0.15 to 0.6 %, of shared
    /// computers several percent). 0 where no size was repeated.
    double relativeDeviation() const;

private:
    /// Logarithms of the seconds, by size.
    std::map<std::int64_t, std::vector<double>> m_logarithms;
};

} // namespace batchpeak::trial
