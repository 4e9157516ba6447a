// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gaussian_process.h"
#include "noise_model.h"

#include <Eigen/Core>

#include <iterator>
#include <span>
#include <vector>

namespace batchpeak::search {

class RandomSource;

/// The timed trials in the form that the curve model needs. This is the only place that states how a measured
/// time differs from the curve. A row is a trial, or one size of a trial that compares:
///
///     ln(seconds) = curve(size) + speed of the device, averaged over when it was timed
///                   + exponent * -ln(1 - contention) + noise
///     noise ~ N(0, (error^2 + trial^2 / visits) / weight + disturbance^2 where one was seen)
///
/// Contention is the share of the processors that other programs took meanwhile. Steps that can be spread
/// freely over the rest have an exponent of 1, steps whose threads wait for each other have a larger one. The
/// exponent is common to all sizes and learned from the trials, so that it cancels if a program is always
/// there.
///
/// Recalled rows of one exploration were timed on a device that was faster or slower than today by one
/// factor, and whose curve may have changed a little.
///
/// The scale of each part is a hyper-parameter; hyperparameterGrid() decides which values it may have.
struct Observations
{
    explicit Observations(const std::vector<Measurement>& timed);

    Eigen::Index count() const { return size.size(); }
    /// Returns the covariance of the rows' logarithms, including noise.
    Eigen::MatrixXd covariance(const Hyperparameters& hyperparameters) const;
    /// Return the covariance between the curve alone at these sizes (rows) and the observations.
    /// \param logSizes  natural logarithms
    Eigen::MatrixXd smoothCovariance(const Eigen::VectorXd& logSizes) const;
    Eigen::MatrixXd roughCovariance(const Eigen::VectorXd& logSizes, double roughLength) const;
    /// Returns the logarithm of how well these scales explain the differences between the visits of
    /// comparisons, up to a constant.
    double logEvidenceOfVisits(const Hyperparameters& hyperparameters) const;
    /// Returns the standard deviation of the noise of a row.
    double noiseDeviation(Eigen::Index row, const Hyperparameters& hyperparameters) const;
    /// Draws the device's speed while each row was timed, with standard deviation 1.
    Eigen::VectorXd drawSpeed(double speedTime, RandomSource& random) const;
    /// Draws by how much ln(seconds) of each row differs from today's, with one draw for each recalled
    /// exploration. Returns 0 and draws nothing if none is recalled.
    Eigen::VectorXd drawRecalledSpeed(RandomSource& random) const;
    /// Draws what the contention of each row adds to ln(seconds) beyond contentionExponent, with one draw for
    /// all rows. Returns 0 and draws nothing if no row has any.
    Eigen::VectorXd drawContention(RandomSource& random) const;
    /// Returns the rows of each recalled exploration, followed by those of this search; a single list of all
    /// rows if all are recalled.
    std::vector<std::vector<Eigen::Index>> days() const;
    /// Returns what the contention of each row is expected to add to ln(seconds), relative to the mean of its
    /// day.
    Eigen::VectorXd contentionOffMean(const std::vector<std::vector<Eigen::Index>>& days) const;

    /// Gives less weight to rows that the others contradict: heavy tails as a mixture of scales, Student's t
    /// of four degrees of freedom (Andrews and Mallows, Journal of the Royal Statistical Society B 36, 1974;
    /// West, Biometrika 74, 1987). On a calm device, a deviation of about half or more is not noise, and
    /// keeps its weight.
    ///
    /// \param columns  the columns of the linearized trend, in units of their prior deviation, with one row
    ///        per observation
    /// \param residual  what the trend leaves unexplained at its prior mean
    void weighTails(const Hyperparameters& hyperparameters, const Eigen::MatrixXd& columns,
                    const Eigen::VectorXd& residual);

    NoiseModel noise;
    Eigen::VectorXd size;
    Eigen::VectorXd logSize;
    /// Typical time of a step, minus what its contention is expected to take [s].
    Eigen::VectorXd seconds;
    /// -ln(1 - contention), which the exponent multiplies.
    Eigen::VectorXd contention;
    /// Median of all rows of the same size, about which a trend is linearized. It leaves out disturbed rows
    /// if there are others.
    Eigen::VectorXd medianSeconds;
    /// Total time of all timed steps [s], and their number.
    Eigen::VectorXd timedSeconds;
    Eigen::VectorXd timedSteps;
    /// Relative standard error of seconds, from the scatter of steps.
    Eigen::VectorXd error;
    /// Number of times that the size was visited anew.
    Eigen::VectorXd visits;
    /// 1 if the noise is like that of the other rows; less by the factor by which its variance is larger.
    Eigen::VectorXd weight;
    /// 1 if the row is recalled, else 0.
    Eigen::VectorXd isRecalled;
    /// 1 if an ordinary trial is known to have been disturbed, else 0: the visits of a comparison bear a
    /// disturbance together.
    Eigen::VectorXd isDisturbed;
    /// Standard deviation of the effect of the disturbance on such a trial's time: from nothing to any
    /// factor, depending on how well it explains the trials.
    double disturbance = 0.0;

private:
    struct Comparison
    {
        /// ln of each visit's time [ln s], one row per visit, minus the mean of its size.
        Eigen::VectorXd residual;
        Eigen::VectorXd contention;
        /// Relative variance from the scatter of steps.
        Eigen::VectorXd variance;
        /// 1 if two visits are of one size.
        Eigen::MatrixXd isSameSize;
        Eigen::MatrixXd speed[std::size(speedTimes)];
        int sizes = 0;
    };
    void addRecalled(const std::vector<Measurement>& timed);
    void addComparison(const std::vector<Measurement>& timed, std::size_t first, std::size_t last);

    std::vector<Comparison> m_comparisons;
    /// One column for each recalled exploration, with 1 in its rows.
    Eigen::MatrixXd m_isOfExploration;
    Eigen::MatrixXd m_smooth;
    Eigen::MatrixXd m_rough[std::size(roughLengths)];
    Eigen::MatrixXd m_speed[std::size(speedTimes)];
    Eigen::MatrixXd m_speedFactor[std::size(speedTimes)];
};

} // namespace batchpeak::search
