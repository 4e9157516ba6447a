// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace batchpeak::trial {

/// Returns the time of one step [s], from the timed steps of one trial, in a way that a stall or an unusually
/// fast step cannot change it: the mean of the middle 60 % of the steps.
///
/// It estimates the location of one trial only. The certainty of that estimate depends on other trials too: a
/// trial of five steps cannot estimate its own noise, and noise between runs stays however many steps a trial
/// has. Both are up to the search.
///
/// \param seconds  wall time of each timed step [s], warm-up excluded, in any order
/// \return nothing if there is no step, or if a step's time is not a positive number
///
/// Midmean: Tukey, Exploratory Data Analysis (1977), ch. 19.
std::optional<double> typicalStepSeconds(std::span<const double> seconds);

/// Returns the relative standard error of typicalStepSeconds as far as this one trial can estimate it. It is
/// for a person who looks at one trial, and for a search that is not given the steps themselves.
///
/// \param seconds  as above
/// \return nothing if typicalStepSeconds returns nothing, and for one or two steps, which show no spread
///
/// The spread is the range of the middle steps divided by its expected size in normal data (Blom's positions,
/// Statistical Estimates and Transformed Beta-Variables, 1958). The mean of n such steps has sqrt(2 / n) of
/// that spread. The factor 2 accounts for the robust mean and for steps that resemble their neighbors; it was
/// found in simulated searches.
std::optional<double> relativeStandardError(std::span<const double> seconds);

/// Whether a trial has warmed up, so that the next step may be timed. That is so if the last two steps agree
/// within 3 %, or if waiting for that has cost five steps, a fifth of the trial's time limit, or two seconds
/// after the first step: by then clocks and caches have settled, and when other programs are running, steps
/// that take seconds never agree.
///
/// The very first step pays for lazy initialization (kernels chosen, caches filled), so it is not one of the
/// two that must agree. At least two steps are taken whatever they cost.
///
/// \param seconds  wall time of each warm-up step so far [s], in their order
/// \param timeLimitSeconds  time limit of the whole trial [s]
///
/// The constants were chosen on recorded curves.
bool isWarm(std::span<const double> seconds, double timeLimitSeconds);

/// Estimates how far trials of the same size differ from run to run, from the trials of one process. The
/// number of steps within one trial cannot show this, since the steps share the trial's clock, its neighbors
/// and its memory.
///
/// It tells a person how certain one trial is. The search, which is given every step, has its own model.
class RunScatter
{
public:
    /// \param seconds  duration of one step of a trial that ended well [s], above 0
    void add(std::int64_t microBatchSize, double seconds);

    /// Returns the standard deviation of a trial's time, relative to that time: the pooled standard deviation
    /// of all sizes that were tried more than once, with 1 % as one more degree of freedom (run noise of GPUs
    /// is 0.15 to 0.6 %, of shared computers several percent). 0 if no size was repeated.
    double relativeDeviation() const;

private:
    /// Logarithms of the seconds, keyed by size.
    std::map<std::int64_t, std::vector<double>> m_logarithms;
};

} // namespace batchpeak::trial
