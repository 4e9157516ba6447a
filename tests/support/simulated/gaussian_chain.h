// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/random_source.h"

#include <span>
#include <vector>

/// Chain of values, each of which depends on the previous one and is observed with noise. This class computes
/// the likelihood of the observations with a Kalman filter, and draws values from their posterior by forward
/// filtering and backward sampling (Frühwirth-Schnatter, Journal of Time Series Analysis 15, 1994). The cost
/// is linear in the number of values.
class GaussianChain
{
public:
    struct Link
    {
        /// Factor of the previous value, and variance of the noise that is added to the product. The value
        /// before the first link is 0, so the first variance is that of the first value itself.
        double keeps = 1.0;
        double variance = 0.0;
        double observed = 0.0;
        double observationVariance = 1.0;
    };

    /// Returns the natural logarithm of the likelihood, up to a constant that is the same for all chains of
    /// equal length.
    static double logLikelihood(std::span<const Link> links);

    /// Draws one value for each link from the posterior.
    static std::vector<double> draw(std::span<const Link> links, batchpeak::search::RandomSource& random);
};
