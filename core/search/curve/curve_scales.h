// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace batchpeak::search {

/// How far step times may lie off the physical part of the curve, and why: standard deviations of the
/// logarithm of the step time, that is, shares of it.
struct CurveScales
{
    /// Smooth deviation, over distances of 1.2 in the logarithm of the size (Matern 3/2).
    double smooth = 0.0;
    /// Rough deviation, from one size to the next (Ornstein-Uhlenbeck), and its length in the logarithm of
    /// the size.
    double rough = 0.0;
    double roughLength = 0.1;
    /// Slow change over time, the same for all sizes (Ornstein-Uhlenbeck, 45 s).
    double drift = 0.0;
    /// Between two trials of one size, however many steps they have.
    double run = 0.0;
    double logPrior = 0.0;
};

inline constexpr double smoothLength = 1.2;
inline constexpr double driftSeconds = 45.0;
/// Lengths that the rough part may have; roughLength is one of them.
inline constexpr double roughLengths[] = {0.03, 0.1, 0.35};

/// Every combination that the curve is averaged over: a grid, which with three to eight trials is more
/// robust than an optimum.
const std::vector<CurveScales>& curveScalesGrid();

} // namespace batchpeak::search
