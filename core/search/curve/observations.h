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

/// The timed trials as the curve model needs them: the one place that says how a measured time differs from
/// the curve. A row is a trial, or one size of a trial that compares:
///
///     ln(seconds) = curve(size) + speed of the device, averaged over when it was timed
///                   + exponent * -ln(1 - contention) + noise
///     noise ~ N(0, (error^2 + trial^2 / visits) / weight + disturbance^2 where one was seen)
///
/// Contention is the share of the processors that others took meanwhile. Steps that could be spread freely
/// over what is left would have an exponent of 1, steps whose threads wait for each other more; it is common
/// to all sizes and learned from the trials, so that beside a program that is always there it cancels.
///
/// Rows that are recalled of one exploration were timed on a device that was faster or slower than today by
/// one factor, and whose curve may have changed a little.
///
/// What scales a part is a hyper-parameter, and which values it may have is hyperparameterGrid()'s business.
struct Observations
{
    explicit Observations(const std::vector<Measurement>& timed);

    Eigen::Index count() const { return size.size(); }
    /// Covariance of the rows' logarithms, noise included.
    Eigen::MatrixXd covariance(const Hyperparameters& hyperparameters) const;
    /// Between the curve alone at these sizes (rows) and the observations.
    /// \param logSizes  natural logarithms
    Eigen::MatrixXd smoothCovariance(const Eigen::VectorXd& logSizes) const;
    Eigen::MatrixXd roughCovariance(const Eigen::VectorXd& logSizes, double roughLength) const;
    /// Logarithm of how well these scales explain what the visits of comparisons differ by, up to a constant.
    double logEvidenceOfVisits(const Hyperparameters& hyperparameters) const;
    /// Standard deviation of the noise of a row.
    double noiseDeviation(Eigen::Index row, const Hyperparameters& hyperparameters) const;
    /// The device's speed while each row was timed, at standard deviation 1.
    Eigen::VectorXd drawSpeed(double speedTime, RandomSource& random) const;
    /// By what ln(seconds) of each row differs from today's, one draw for each exploration that is recalled;
    /// 0, and nothing drawn, where none is.
    Eigen::VectorXd drawRecalledSpeed(RandomSource& random) const;
    /// What the contention of each row adds to ln(seconds) beyond contentionExponent, one draw for all rows;
    /// 0, and nothing drawn, where no row has any.
    Eigen::VectorXd drawContention(RandomSource& random) const;
    /// The rows of each exploration that is recalled, and those of now last; one of all rows where all are
    /// recalled.
    std::vector<std::vector<Eigen::Index>> days() const;
    /// What the contention of each row is expected to add to ln(seconds), against the mean of its day.
    Eigen::VectorXd contentionOffMean(const std::vector<std::vector<Eigen::Index>>& days) const;

    /// Gives rows that the others contradict less weight: heavy tails as a mixture of scales, Student's t of
    /// four degrees of freedom (Andrews and Mallows, Journal of the Royal Statistical Society B 36, 1974;
    /// West, Biometrika 74, 1987). What is off by half and more is no noise on a
    /// calm device, and keeps its weight.
    ///
    /// \param columns  of the linearized trend, in units of their prior deviation, a row for each observation
    /// \param residual  what the trend leaves unexplained at its prior mean
    void weighTails(const Hyperparameters& hyperparameters, const Eigen::MatrixXd& columns,
                    const Eigen::VectorXd& residual);

    NoiseModel noise;
    Eigen::VectorXd size;
    Eigen::VectorXd logSize;
    /// Typical time of a step, without what its contention is expected to take [s].
    Eigen::VectorXd seconds;
    /// -ln(1 - contention): what the exponent multiplies.
    Eigen::VectorXd contention;
    /// Median of all rows of the same size: what a trend is linearized about.
    /// Without the disturbed ones where there are others.
    Eigen::VectorXd medianSeconds;
    /// All its timed steps together [s], and how many they are.
    Eigen::VectorXd timedSeconds;
    Eigen::VectorXd timedSteps;
    /// Relative standard error of seconds, by the scatter of steps.
    Eigen::VectorXd error;
    /// Times that the size was visited anew.
    Eigen::VectorXd visits;
    /// 1 where the noise is as the others'; less where its variance is so many times larger.
    Eigen::VectorXd weight;
    /// 1 where it is recalled, else 0.
    Eigen::VectorXd isRecalled;
    /// 1 where something is known to have disturbed an ordinary trial, else 0: the visits of a comparison
    /// bear a disturbance together.
    Eigen::VectorXd isDisturbed;
    /// Standard deviation of what that did to such a trial's time: from nothing to any factor, by how well it
    /// explains the trials.
    double disturbance = 0.0;

private:
    struct Comparison
    {
        /// A row for each visit [ln s], less the mean of its size.
        Eigen::VectorXd residual;
        Eigen::VectorXd contention;
        /// Relative variance by the scatter of steps.
        Eigen::VectorXd variance;
        /// 1 where two visits are of one size.
        Eigen::MatrixXd isSameSize;
        Eigen::MatrixXd speed[std::size(speedTimes)];
        int sizes = 0;
    };
    void addRecalled(const std::vector<Measurement>& timed);
    void addComparison(const std::vector<Measurement>& timed, std::size_t first, std::size_t last);

    std::vector<Comparison> m_comparisons;
    /// A column for each exploration that is recalled, 1 in its rows.
    Eigen::MatrixXd m_isOfExploration;
    Eigen::MatrixXd m_smooth;
    Eigen::MatrixXd m_rough[std::size(roughLengths)];
    Eigen::MatrixXd m_speed[std::size(speedTimes)];
    Eigen::MatrixXd m_speedFactor[std::size(speedTimes)];
};

} // namespace batchpeak::search
