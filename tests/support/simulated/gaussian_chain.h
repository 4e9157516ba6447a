// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/random_source.h"

#include <span>
#include <vector>

/// A number that changes by chance from place to place and is seen through noise: how likely what was seen
/// is, and draws of what it may have been. Kalman filter, and smoothing by forward filtering and backward
/// sampling (Frühwirth- Schnatter, Journal of Time Series Analysis 15, 1994); linear in the number of places.
class GaussianChain
{
public:
    struct Link
    {
        /// What remains of the value of the place before, and the variance of what is added. Of the first
        /// place the value before is 0, so that the variance is that of the value itself.
        double keeps = 1.0;
        double variance = 0.0;
        double seen = 0.0;
        double seenVariance = 1.0;
    };

    /// Natural logarithm, the same constant left out for each chain of as many places.
    static double logLikelihood(std::span<const Link> links);

    /// One value for each place.
    static std::vector<double> draw(std::span<const Link> links, batchpeak::search::RandomSource& random);
};
