// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "curve_trials.h"

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace batchpeak::search {

class RandomSource;

/// Draws from the prior of the curve's deviations over a grid of sizes, at standard deviation 1: both kinds
/// are Markov in the logarithm of the size, so that a draw is one walk along the grid.
class DeviationDraws
{
public:
    /// \param sizes  ascending, each once
    /// \param kept  indices into sizes at which the smooth part must be exact: those of the trials
    DeviationDraws(std::span<const std::int64_t> sizes, std::span<const std::size_t> kept);

    /// Smooth part: between nodes 8 % apart it is interpolated, which errs by less than 1 % of its
    /// deviation, and saves nine of ten draws.
    void drawSmooth(RandomSource& random, Eigen::VectorXd& values);
    /// \param length  one of roughLengths
    void drawRough(RandomSource& random, double length, Eigen::VectorXd& values) const;

private:
    struct SmoothStep
    {
        std::size_t node = 0;
        // Transition of value and slope, and Cholesky factor of what is new in them.
        double vv = 0.0, vs = 0.0, sv = 0.0, ss = 0.0;
        double noiseV = 0.0, noiseVs = 0.0, noiseS = 0.0;
    };
    struct RoughStep
    {
        double keeps = 0.0;
        double isNew = 1.0;
    };

    std::vector<double> m_logSizes;
    std::vector<SmoothStep> m_smooth;
    std::vector<RoughStep> m_rough[std::size(roughLengths)];
};

/// Drift at the trials' ends, in their order of time, at standard deviation 1.
Eigen::VectorXd drawDrift(const Eigen::VectorXd& clock, RandomSource& random);

} // namespace batchpeak::search
