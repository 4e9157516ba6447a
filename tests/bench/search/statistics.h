// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

/// 0 where there is no value.
double mean(std::span<const double> values);

/// The value nearest to this share of the way from the smallest to the largest; 0 where there is none.
double quantile(std::vector<double> values, double share);

/// A confidence that was stated, and whether it was right.
struct Statement
{
    double stated = 0.0;
    bool isRight = false;
    double weight = 1.0;
};

/// Mean over ten bins of |stated - right|, weighted by the statements in them: how far off a stated
/// confidence is. Naeini, Cooper and Hauskrecht, AAAI (2015).
double expectedCalibrationError(std::span<const Statement> statements);
