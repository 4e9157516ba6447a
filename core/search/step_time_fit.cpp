// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_time_fit.h"

#include "random_source.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

// Prior of alpha and beta, in units of the shortest step and of the shortest time per sample: wide enough
// for curves that are all launch overhead and for those that have none.
const Eigen::Vector2d priorMeanUnits{0.5, 0.55};
const Eigen::Vector2d priorDeviationUnits{1.5, 0.6};
/// Keeps the covariance of repeated sizes positive definite.
constexpr double jitter = 1e-9;
constexpr int drawAttempts = 12;

} // namespace

StepTimeFit::StepTimeFit(const std::vector<TimedSize>& trials, const Roughness& roughness)
    : m_roughness(roughness), m_noise(static_cast<Eigen::Index>(trials.size()))
{
    const auto count = static_cast<Eigen::Index>(trials.size());
    Eigen::Vector2d units{HUGE_VAL, HUGE_VAL};
    for (const TimedSize& trial : trials)
        units = units.cwiseMin(Eigen::Vector2d{trial.seconds, trial.seconds / trial.size});
    m_priorMean = priorMeanUnits.cwiseProduct(units);
    m_priorDeviation = priorDeviationUnits.cwiseProduct(units);

    Eigen::MatrixX2d features(count, 2);
    Eigen::ArrayXd logSizes(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const TimedSize& trial = trials[static_cast<std::size_t>(i)];
        m_noise(i) =
            trial.relativeError * trial.relativeError + roughness.runDeviation * roughness.runDeviation;
        features.row(i) << 1.0 / trial.seconds, trial.size / trial.seconds;
        logSizes(i) = std::log(trial.size);
    }
    Eigen::MatrixXd covariance(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        covariance.col(i) = covariances((logSizes - logSizes(i)).abs());
        covariance(i, i) += m_noise(i) + jitter;
    }
    m_factor.compute(covariance);

    const Eigen::VectorXd residuals = Eigen::VectorXd::Ones(count) - features * m_priorMean;
    const Eigen::VectorXd whiteResiduals = m_factor.matrixL().solve(residuals);
    const Eigen::MatrixXd whiteFeatures = m_factor.matrixL().solve(features * m_priorDeviation.asDiagonal());
    const Eigen::Matrix2d precision = Eigen::Matrix2d::Identity() + whiteFeatures.transpose() * whiteFeatures;
    m_lineFactor.compute(precision);
    const Eigen::Vector2d projected = whiteFeatures.transpose() * whiteResiduals;
    m_lineMean = m_lineFactor.solve(projected);

    const Eigen::Matrix2d lineFactor = m_lineFactor.matrixL();
    m_logEvidence = -m_factor.matrixLLT().diagonal().array().log().sum() -
                    lineFactor.diagonal().array().log().sum() -
                    0.5 * (whiteResiduals.squaredNorm() - projected.dot(m_lineMean));
}

Eigen::Vector2d StepTimeFit::drawLine(RandomSource& random) const
{
    Eigen::Vector2d line;
    for (int attempt = 0; attempt < drawAttempts; ++attempt) {
        Eigen::Vector2d draw{random.normal(), random.normal()};
        m_lineFactor.matrixU().solveInPlace(draw);
        line = m_priorMean + m_priorDeviation.cwiseProduct(m_lineMean + draw);
        if (line.minCoeff() >= 0.0)
            break;
    }
    line = line.cwiseMax(0.0);
    // A step takes time, however small: without this a draw clipped at both ends would have no logarithm.
    if (line.sum() <= 0.0)
        line = m_priorMean;
    return line;
}

Eigen::Vector2d StepTimeFit::expectedLine() const
{
    return m_priorMean + m_priorDeviation.cwiseProduct(m_lineMean);
}

Eigen::VectorXd StepTimeFit::conditioningWeights(const Eigen::VectorXd& residuals) const
{
    return m_factor.solve(residuals);
}

Eigen::ArrayXd StepTimeFit::covariances(const Eigen::ArrayXd& logDistances) const
{
    return m_roughness.deviation * m_roughness.deviation * (-logDistances / m_roughness.length).exp();
}

double StepTimeFit::noiseVariance(std::size_t trial) const
{
    return m_noise(static_cast<Eigen::Index>(trial));
}

} // namespace batchpeak::search
