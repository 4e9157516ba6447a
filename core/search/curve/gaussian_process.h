// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace batchpeak::search {

class RandomSource;

inline constexpr double smoothLength = 1.2;
/// Correlation lengths that the rough part may have, in the logarithm of the size.
inline constexpr double roughLengths[] = {0.004, 0.06, 0.35};
/// Times over which the device's speed may change [s]: for clocks and neighbors that come and go, and for
/// heat. Fitted to repeated sweeps of small networks, whose best single time was 6 to 18 s.
inline constexpr double speedTimes[] = {7.0, 45.0};

/// How far the logarithms of step times may deviate from the trend, and why. The values are standard
/// deviations, that is, shares of the step time.
struct Hyperparameters
{
    /// Smooth deviation, over distances of smoothLength in the logarithm of the size (Matern 3/2).
    double smooth = 0.0;
    /// Rough deviation from one size to the next (Ornstein-Uhlenbeck), and its correlation length in the
    /// logarithm of the size.
    double rough = 0.0;
    double roughLength = roughLengths[1];
    /// Deviation of the device's speed, which changes with time and is the same for all sizes
    /// (Ornstein-Uhlenbeck), and the time over which it changes: one of speedTimes [s].
    double speed = 0.0;
    double speedTime = speedTimes[1];
    /// Deviation between two trials of one size, however many steps they have and however close in time they
    /// are.
    double trial = 0.0;
    double logPrior = 0.0;
};

/// Returns every combination that the curve is averaged over: a grid, which with three to eight trials is
/// more robust than an optimum.
const std::vector<Hyperparameters>& hyperparameterGrid();

/// Return the correlation at a distance in the logarithm of the size.
double smoothCorrelation(double distance);
double roughCorrelation(double distance, double length);

/// Draws from the prior of the deviations over a grid of sizes, with standard deviation 1. Both kinds are
/// Markov in the logarithm of the size, so that a draw is one walk along the grid.
class PriorSampler
{
public:
    /// \param sizes  ascending, each once
    /// \param sizes  ascending, each once
    /// \param kept  indices into sizes at which the smooth part must be exact: those of the trials
    PriorSampler(std::span<const std::int64_t> sizes, std::span<const std::size_t> kept);

    /// Draws the smooth part. It is interpolated between nodes 8 % apart, which errs by less than 1 % of its
    /// deviation and saves nine of ten draws.
    void drawSmooth(RandomSource& random, Eigen::VectorXd& values) const;
    /// \param length  one of roughLengths
    void drawRough(RandomSource& random, double length, Eigen::VectorXd& values) const;

private:
    struct SmoothStep
    {
        std::size_t node = 0;
        // Transition of value and slope, and the Cholesky factor of the innovation's covariance.
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

} // namespace batchpeak::search
