// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gaussian_process.h"

#include "random_source.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace batchpeak::search {

namespace {

constexpr double smoothValues[] = {0.003, 0.012, 0.04, 0.12};
constexpr double roughValues[] = {0.001, 0.004, 0.012, 0.035, 0.1, 0.25};
/// What changes from trial to trial: slowly, and at once. The last are of a computer that is not left alone.
struct TrialVariation
{
    double drift;
    double run;
    double logPrior;
};
constexpr TrialVariation variations[] = {{0.002, 0.0015, 0.0}, {0.002, 0.005, 0.0}, {0.002, 0.015, 0.0},
                                         {0.015, 0.0015, 0.0}, {0.015, 0.005, 0.0}, {0.015, 0.015, 0.0},
                                         {0.002, 0.06, -2.5},  {0.08, 0.015, -4.0}};

// Curves that leave their trend by this much are rare.
double smoothLogPrior(double smooth)
{
    return smooth > 0.1 ? -0.3 : 0.0;
}

double roughLogPrior(double rough)
{
    return (rough > 0.05 ? -0.7 : 0.0) + (rough > 0.2 ? -0.7 : 0.0);
}

std::vector<Hyperparameters> makeGrid()
{
    std::vector<Hyperparameters> grid;
    const double lengthLogPrior = -std::log(static_cast<double>(std::size(roughLengths)));
    for (const double smooth : smoothValues) {
        for (const double rough : roughValues) {
            for (const double roughLength : roughLengths) {
                // The smallest rough part is next to none, so its length says nothing.
                const bool isNone = rough == roughValues[0];
                if (isNone && roughLength != Hyperparameters{}.roughLength)
                    continue;
                for (const TrialVariation& variation : variations) {
                    grid.push_back({.smooth = smooth,
                                    .rough = rough,
                                    .roughLength = roughLength,
                                    .drift = variation.drift,
                                    .run = variation.run,
                                    .logPrior = smoothLogPrior(smooth) + roughLogPrior(rough) +
                                                (isNone ? 0.0 : lengthLogPrior) + variation.logPrior});
                }
            }
        }
    }
    return grid;
}

/// Keeps the covariance of repeated sizes positive definite.
constexpr double jitter = 1e-9;
/// Relative error that a disturbed trial has at least, whatever its steps say: whoever shares a processor
/// evenly doubles the time, and takes some of it at the least.
constexpr double disturbedError = 0.25;
const double smoothRate = std::sqrt(3.0) / smoothLength;
/// Of nodes between which the smooth part of a draw is interpolated, in the logarithm of the size.
constexpr double nodeDistance = 0.08;

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

const std::vector<Hyperparameters>& hyperparameterGrid()
{
    static const std::vector<Hyperparameters> grid = makeGrid();
    return grid;
}

double smoothCorrelation(double distance)
{
    return (1.0 + smoothRate * distance) * std::exp(-smoothRate * distance);
}

double roughCorrelation(double distance, double length)
{
    return std::exp(-distance / length);
}

Observations::Observations(const std::vector<Measurement>& timed) : noise(timed)
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

Eigen::MatrixXd Observations::covariance(const Hyperparameters& hyperparameters) const
{
    Eigen::MatrixXd matrix = hyperparameters.smooth * hyperparameters.smooth * m_smooth;
    matrix += hyperparameters.rough * hyperparameters.rough * m_rough[indexOf(hyperparameters.roughLength)];
    matrix += hyperparameters.drift * hyperparameters.drift * m_drift;
    matrix.diagonal().array() += error.array().square() + hyperparameters.run * hyperparameters.run + jitter;
    return matrix;
}

Eigen::MatrixXd Observations::smoothCovariance(const Eigen::VectorXd& logSizes) const
{
    return pairwise(logSizes, logSize, smoothCorrelation);
}

Eigen::MatrixXd Observations::roughCovariance(const Eigen::VectorXd& logSizes, double roughLength) const
{
    return pairwise(logSizes, logSize, [roughLength](double d) { return roughCorrelation(d, roughLength); });
}

PriorSampler::PriorSampler(std::span<const std::int64_t> sizes, std::span<const std::size_t> kept)
{
    for (const std::int64_t size : sizes)
        m_logSizes.push_back(std::log(static_cast<double>(size)));

    for (std::size_t l = 0; l < std::size(roughLengths); ++l) {
        m_rough[l].push_back({});
        for (std::size_t i = 1; i < m_logSizes.size(); ++i) {
            const double keeps = roughCorrelation(m_logSizes[i] - m_logSizes[i - 1], roughLengths[l]);
            m_rough[l].push_back({.keeps = keeps, .isNew = std::sqrt(1.0 - keeps * keeps)});
        }
    }

    std::vector<bool> isKept(sizes.size(), false);
    for (const std::size_t index : kept)
        isKept[index] = true;
    std::size_t before = 0;
    for (std::size_t i = 0; i < m_logSizes.size(); ++i) {
        const bool isLast = i + 1 == m_logSizes.size();
        const bool isFar = !isLast && m_logSizes[i + 1] - m_logSizes[before] > nodeDistance;
        if (i > 0 && !isKept[i] && !isLast && !isFar)
            continue;
        // Matern 3/2 as a state space (Hartikainen and Sarkka, MLSP 2010), deviation 1.
        SmoothStep step{.node = i};
        if (i == 0) {
            step.noiseV = 1.0;
            step.noiseS = smoothRate;
        } else {
            const double d = m_logSizes[i] - m_logSizes[before];
            const double decay = std::exp(-smoothRate * d);
            step.vv = decay * (1.0 + smoothRate * d);
            step.vs = decay * d;
            step.sv = -decay * smoothRate * smoothRate * d;
            step.ss = decay * (1.0 - smoothRate * d);
            const double rate2 = smoothRate * smoothRate;
            const double varianceV = std::max(1.0 - step.vv * step.vv - rate2 * step.vs * step.vs, 1e-18);
            const double covariance = -step.vv * step.sv - rate2 * step.vs * step.ss;
            const double varianceS = rate2 - step.sv * step.sv - rate2 * step.ss * step.ss;
            step.noiseV = std::sqrt(varianceV);
            step.noiseVs = covariance / step.noiseV;
            step.noiseS = std::sqrt(std::max(varianceS - step.noiseVs * step.noiseVs, 0.0));
        }
        m_smooth.push_back(step);
        before = i;
    }
}

void PriorSampler::drawSmooth(RandomSource& random, Eigen::VectorXd& values)
{
    double value = 0.0;
    double slope = 0.0;
    std::size_t before = 0;
    for (const SmoothStep& step : m_smooth) {
        const double first = random.normal();
        const double second = random.normal();
        const double newValue = step.vv * value + step.vs * slope + step.noiseV * first;
        const double newSlope =
            step.sv * value + step.ss * slope + step.noiseVs * first + step.noiseS * second;
        for (std::size_t i = before + 1; i < step.node; ++i) {
            const double share =
                (m_logSizes[i] - m_logSizes[before]) / (m_logSizes[step.node] - m_logSizes[before]);
            values[static_cast<Eigen::Index>(i)] = value + share * (newValue - value);
        }
        values[static_cast<Eigen::Index>(step.node)] = newValue;
        value = newValue;
        slope = newSlope;
        before = step.node;
    }
}

void PriorSampler::drawRough(RandomSource& random, double length, Eigen::VectorXd& values) const
{
    const auto which = std::ranges::find(roughLengths, length) - std::begin(roughLengths);
    double value = 0.0;
    Eigen::Index index = 0;
    for (const RoughStep& step : m_rough[which]) {
        value = step.keeps * value + step.isNew * random.normal();
        values[index++] = value;
    }
}

Eigen::VectorXd drawDrift(const Eigen::VectorXd& clock, RandomSource& random)
{
    std::vector<Eigen::Index> order(static_cast<std::size_t>(clock.size()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::ranges::stable_sort(order, {}, [&](Eigen::Index i) { return clock[i]; });

    Eigen::VectorXd values(clock.size());
    double value = 0.0;
    double keeps = 0.0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i > 0)
            keeps = roughCorrelation(clock[order[i]] - clock[order[i - 1]], driftSeconds);
        value = keeps * value + std::sqrt(1.0 - keeps * keeps) * random.normal();
        values[order[i]] = value;
    }
    return values;
}

} // namespace batchpeak::search
