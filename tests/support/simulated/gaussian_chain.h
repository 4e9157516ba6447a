// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/random_source.h"

#include <span>
#include <vector>

/// A value that changes randomly from place to place and is observed with noise: computes the likelihood of
/// the observations, and draws possible values. It uses a Kalman filter, and smoothing by forward filtering
/// and backward sampling (Frühwirth-Schnatter, Journal of Time Series Analysis 15, 1994); its cost is linear
/// in the number of places.
class GaussianChain
{
public:
    struct Link
    {
        /// Factor that the value of the previous place is multiplied by, and variance of the addition. The
        /// value before the first place is 0, so the first variance is that of the value itself.
        double keeps = 1.0;
        double variance = 0.0;
        double seen = 0.0;
        double seenVariance = 1.0;
    };

    /// Returns the natural logarithm of the likelihood without a constant, which is the same for all chains
    /// of equal length.
    static double logLikelihood(std::span<const Link> links);

    /// Draws one value for each place.
    static std::vector<double> draw(std::span<const Link> links, batchpeak::search::RandomSource& random);
};
