// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "curve_trials.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

/// Keeps the covariance of repeated sizes positive definite.
constexpr double jitter = 1e-9;
/// Relative error that a disturbed trial has at least, whatever its steps say: whoever shares a processor
/// evenly doubles the time, and takes some of it at the least.
constexpr double disturbedError = 0.25;
const double smoothRate = std::sqrt(3.0) / smoothLength;

template<typename Correlation>
Eigen::MatrixXd pairwise(const Eigen::VectorXd& rows, const Eigen::VectorXd& columns, Correlation correlation)
{
    Eigen::MatrixXd matrix(rows.size(), columns.size());
    for (Eigen::Index column = 0; column < columns.size(); ++column) {
        for (Eigen::Index row = 0; row < rows.size(); ++row)
            matrix(row, column) = correlation(std::abs(rows[row] - columns[column]));
    }
    return matrix;
}

std::size_t indexOf(double roughLength)
{
    return static_cast<std::size_t>(std::ranges::find(roughLengths, roughLength) - std::begin(roughLengths));
}

} // namespace

double smoothCorrelation(double distance)
{
    return (1.0 + smoothRate * distance) * std::exp(-smoothRate * distance);
}

double roughCorrelation(double distance, double length)
{
    return std::exp(-distance / length);
}

CurveTrials::CurveTrials(const std::vector<Measurement>& timed) : noise(timed)
{
    const auto count = static_cast<Eigen::Index>(timed.size());
    for (Eigen::VectorXd* column : {&size, &logSize, &seconds, &error, &clock})
        column->resize(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const Measurement& trial = timed[static_cast<std::size_t>(i)];
        size[i] = static_cast<double>(trial.size);
        logSize[i] = std::log(size[i]);
        seconds[i] = trial.secondsPerStep;
        error[i] = noise.standardError(static_cast<std::size_t>(i));
        if (trial.disturbed)
            error[i] = std::max(error[i], disturbedError);
        clock[i] = trial.clockSeconds;
    }
    m_smooth = pairwise(logSize, logSize, smoothCorrelation);
    for (std::size_t i = 0; i < std::size(roughLengths); ++i)
        m_rough[i] = roughCovariance(logSize, roughLengths[i]);
    m_drift = pairwise(clock, clock, [](double d) { return roughCorrelation(d, driftSeconds); });
}

Eigen::MatrixXd CurveTrials::covariance(const CurveScales& scales) const
{
    Eigen::MatrixXd matrix = scales.smooth * scales.smooth * m_smooth;
    matrix += scales.rough * scales.rough * m_rough[indexOf(scales.roughLength)];
    matrix += scales.drift * scales.drift * m_drift;
    matrix.diagonal().array() += error.array().square() + scales.run * scales.run + jitter;
    return matrix;
}

Eigen::MatrixXd CurveTrials::smoothCovariance(const Eigen::VectorXd& logSizes) const
{
    return pairwise(logSizes, logSize, smoothCorrelation);
}

Eigen::MatrixXd CurveTrials::roughCovariance(const Eigen::VectorXd& logSizes, double roughLength) const
{
    return pairwise(logSizes, logSize, [roughLength](double d) { return roughCorrelation(d, roughLength); });
}

} // namespace batchpeak::search
