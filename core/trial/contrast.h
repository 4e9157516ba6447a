// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial_record.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::trial {

/// By how much the fastest of compared sizes leads the next one.
struct Contrast
{
    std::int64_t leader = 0;
    std::int64_t runnerUp = 0;
    /// Share by which the leader's samples/s are higher; 0.01 is 1 %.
    double lead = 0.0;
    /// Of the lead; nothing where the sizes were visited too seldom to tell.
    std::optional<double> standardError;

    /// The lead is larger than its error, as far as that is known.
    bool isClear() const { return !standardError || lead > *standardError; }

    bool operator==(const Contrast&) const = default;
};

/// What a comparison says for itself, without the trials before it: that is the search's to judge.
///
/// Sizes are visited there and back, so that the mean of two visits in a row knows no steady drift. Those
/// means are a two-way layout of sizes and rounds: what the device did in a round falls upon all sizes and
/// drops out, and the residual variance tells the error of a difference (Scheffe, The Analysis of Variance,
/// 1959, ch. 4).
///
/// \return nothing where fewer than two sizes were visited
std::optional<Contrast> contrastOf(const std::vector<ComparedRecord>& compared);

} // namespace batchpeak::trial
