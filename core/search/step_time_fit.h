// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Dense>

#include <vector>

namespace batchpeak::search {

class RandomSource;

/// A trial as the step-time model sees it.
struct TimedSize
{
    double size = 1.0;
    double seconds = 1.0;
    /// Relative standard error of seconds.
    double relativeError = 0.0;
};

/// How rough a curve is and how noisy the runs are; shares of the step time.
struct Roughness
{
    /// Deviation of the curve from the line, and over which distance in ln(size) it forgets itself.
    double deviation = 0.01;
    double length = 0.1;
    /// Deviation between runs of the same size.
    double runDeviation = 0.005;
};

/// ln(step time) = ln(alpha + beta size) + a rough deviation + noise, for one roughness, conditioned on
/// trials. The deviation is an Ornstein-Uhlenbeck process in ln(size): step times jump at tile sizes, and
/// a smooth one would promise what is not so.
///
/// alpha and beta are linearised for the evidence and their own draws alone; deviations are conditioned
/// on the exact residuals of the drawn line.
class StepTimeFit
{
public:
    /// Rasmussen and Williams, "Gaussian Processes for Machine Learning" (2006), sections 2.7 and 5.4.
    StepTimeFit(const std::vector<TimedSize>& trials, const Roughness& roughness);

    /// Logarithm of the marginal likelihood, up to a constant that is the same for every roughness.
    double logEvidence() const { return m_logEvidence; }

    /// alpha [s] and beta [s per sample], neither negative and not both 0.
    Eigen::Vector2d drawLine(RandomSource& random) const;

    /// The best estimate of alpha and beta; an element may be negative.
    Eigen::Vector2d expectedLine() const;

    /// What conditions a draw from the prior: (K + noise)^-1 times the residuals, to be multiplied by the
    /// covariance of a size with the trials.
    Eigen::VectorXd conditioningWeights(const Eigen::VectorXd& residuals) const;

    const Roughness& roughness() const { return m_roughness; }
    /// Of the rough deviation at sizes that lie so far apart in their logarithms.
    Eigen::ArrayXd covariances(const Eigen::ArrayXd& logDistances) const;
    /// Variance of the noise of one trial.
    double noiseVariance(std::size_t trial) const;

private:
    Roughness m_roughness;
    Eigen::VectorXd m_noise;
    Eigen::LLT<Eigen::MatrixXd> m_factor;
    Eigen::LLT<Eigen::Matrix2d> m_lineFactor;
    Eigen::Vector2d m_lineMean;
    Eigen::Vector2d m_priorMean;
    Eigen::Vector2d m_priorDeviation;
    double m_logEvidence = 0.0;
};

} // namespace batchpeak::search
