// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

/// Returns the mean; 0 if there are no values.
double mean(std::span<const double> values);

/// Returns the value nearest to this share of the way from the smallest to the largest; 0 if there are no
/// values.
double quantile(std::vector<double> values, double share);

/// A stated confidence, and whether it was right.
struct Statement
{
    double stated = 0.0;
    bool isRight = false;
    double weight = 1.0;
};

/// Returns the expected error of a stated confidence: the mean over ten bins of |stated - right|, weighted by
/// the statements in them. Naeini, Cooper and Hauskrecht, AAAI (2015).
double expectedCalibrationError(std::span<const Statement> statements);
