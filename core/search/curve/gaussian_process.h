// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "noise_model.h"

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace batchpeak::search {

class RandomSource;

/// How far the logarithms of step times may lie off the trend, and why: standard deviations, that is, shares
/// of the step time.
struct Hyperparameters
{
    /// Smooth deviation, over distances of smoothLength in the logarithm of the size (Matern 3/2).
    double smooth = 0.0;
    /// Rough deviation, from one size to the next (Ornstein-Uhlenbeck), and its length in the logarithm of
    /// the size.
    double rough = 0.0;
    double roughLength = 0.1;
    /// Slow change over time, the same for all sizes (Ornstein-Uhlenbeck, driftSeconds).
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
const std::vector<Hyperparameters>& hyperparameterGrid();

/// The timed trials as the curve model needs them, and the parts of their covariance that the
/// hyper-parameters only scale.
struct Observations
{
    explicit Observations(const std::vector<Measurement>& timed);

    Eigen::Index count() const { return size.size(); }
    /// Covariance of the logarithms of the trials' times, noise included.
    Eigen::MatrixXd covariance(const Hyperparameters& hyperparameters) const;
    /// Between the curve, without drift and noise, at these sizes (rows) and the trials.
    /// \param logSizes  natural logarithms
    Eigen::MatrixXd smoothCovariance(const Eigen::VectorXd& logSizes) const;
    Eigen::MatrixXd roughCovariance(const Eigen::VectorXd& logSizes, double roughLength) const;

    NoiseModel noise;
    Eigen::VectorXd size;
    Eigen::VectorXd logSize;
    Eigen::VectorXd seconds;
    /// Relative standard error of seconds.
    Eigen::VectorXd error;
    /// End of each trial [s].
    Eigen::VectorXd clock;

private:
    Eigen::MatrixXd m_smooth;
    Eigen::MatrixXd m_rough[std::size(roughLengths)];
    Eigen::MatrixXd m_drift;
};

/// Correlation at a distance in the logarithm of the size, or in seconds.
double smoothCorrelation(double distance);
double roughCorrelation(double distance, double length);

/// Draws from the prior of the deviations over a grid of sizes, at standard deviation 1: both kinds are
/// Markov in the logarithm of the size, so that a draw is one walk along the grid.
class PriorSampler
{
public:
    /// \param sizes  ascending, each once
    /// \param kept  indices into sizes at which the smooth part must be exact: those of the trials
    PriorSampler(std::span<const std::int64_t> sizes, std::span<const std::size_t> kept);

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
