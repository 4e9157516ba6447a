// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "curve_scales.h"
#include "pooled_noise.h"

#include <Eigen/Core>

namespace batchpeak::search {

/// The timed trials as the curve model needs them, and the covariances between them that do not depend on
/// how large the deviations are.
struct CurveTrials
{
    explicit CurveTrials(const std::vector<Measurement>& timed);

    Eigen::Index count() const { return size.size(); }
    /// Covariance of the logarithms of the trials' times under these scales, noise included.
    Eigen::MatrixXd covariance(const CurveScales& scales) const;
    /// Between the curve, without drift and noise, at these sizes (rows) and the trials.
    /// \param logSizes  natural logarithms
    Eigen::MatrixXd smoothCovariance(const Eigen::VectorXd& logSizes) const;
    Eigen::MatrixXd roughCovariance(const Eigen::VectorXd& logSizes, double roughLength) const;

    PooledNoise noise;
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

} // namespace batchpeak::search
