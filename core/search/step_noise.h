// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "measurement.h"

#include <vector>

namespace batchpeak::search {

/// Noise of single steps in one trial, as a share of their time.
struct StepScatter
{
    double deviation = 0.0;
    /// How far it can be trusted: 0 where the trial has too few steps to tell.
    double degreesOfFreedom = 0.0;
    double steps = 0.0;
};

/// The range of the middle 60 % of the steps over the range expected of normal noise: a stall does not
/// move it. Where a program sends no steps, what it says of its own error stands in.
///
/// Expected normal order statistics: Blom, "Statistical estimates and transformed beta-variables" (1958).
StepScatter stepScatter(const Measurement& trial);

/// Relative standard error of the step time of each trial. A trial of five steps cannot tell its own
/// noise, so that trials with similar step times lend each other theirs. Noise between runs, which more
/// steps do not lower, is not in it.
///
/// \param trials  with sound times
/// The weights were found on simulated searches.
std::vector<double> pooledErrors(const std::vector<Measurement>& trials);

} // namespace batchpeak::search
