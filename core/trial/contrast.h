// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial_record.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::trial {

/// Lead of the fastest compared size over the next one.
struct Contrast
{
    std::int64_t leader = 0;
    std::int64_t runnerUp = 0;
    /// Relative lead of the leader's samples/s; 0.01 is 1 %.
    double lead = 0.0;
    /// Standard error of the lead. No value if the sizes had too few visits to estimate it.
    std::optional<double> standardError;

    /// Whether the lead is larger than its standard error, or the standard error is unknown.
    bool isClear() const { return !standardError || lead > *standardError; }

    bool operator==(const Contrast&) const = default;
};

/// Returns what a comparison alone shows. It ignores earlier trials; weighing those is up to the search.
///
/// Sizes are visited there and back, so the mean of two consecutive visits is free of steady drift. Those
/// means form a two-way layout of sizes and rounds: what the device did in a round affects all sizes and
/// cancels out, and the residual variance gives the error of a difference (Scheffe, The Analysis of Variance,
/// 1959, ch. 4).
///
/// \return nothing if fewer than two sizes were visited
std::optional<Contrast> contrastOf(const std::vector<ComparedRecord>& compared);

} // namespace batchpeak::trial
