// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_result.h"

#include <cstdint>
#include <map>
#include <vector>

/// Agreement of repeated trials of a size, compared with the errors that the trials state.
struct RepeatAgreement
{
    int trials = 0;
    /// Number of pairs of trials, and number of those whose times differ by no more than 1.96 standard errors
    /// of their difference: 95 % of them, if the stated errors are right.
    int pairs = 0;
    int pairsThatAgree = 0;
    /// Median of the relative standard errors that the trials state.
    double statedError = 0.0;
    /// Standard deviation of the trials' times, relative to their mean.
    double observedSpread = 0.0;

    double share() const { return pairs > 0 ? static_cast<double>(pairsThatAgree) / pairs : 0.0; }
};

/// Returns the agreement by micro-batch size. Trials that failed, state no error or were disturbed are
/// ignored.
std::map<std::int64_t, RepeatAgreement>
agreementBySize(const std::vector<batchpeak::trial::TrialResult>& trials);
