// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gaussian_process.h"

#include "random_source.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace batchpeak::search {

namespace {

constexpr double smoothValues[] = {0.003, 0.012, 0.04, 0.12};
constexpr double roughValues[] = {0.001, 0.004, 0.012, 0.035, 0.1, 0.25};
struct DeviceSpeed
{
    double deviation;
    double time;
};
// The values range from a quiet GPU to a shared computer, where the neighbors' effect scatters the visits to
// one size by a tenth. All are equally probable: searches that took a calm device for the likeliest were too
// confident on others and no faster on calm ones.
constexpr DeviceSpeed speeds[] = {{0.002, speedTimes[1]},
                                  {0.012, speedTimes[1]},
                                  {0.012, speedTimes[0]},
                                  {0.04, speedTimes[0]},
                                  {0.08, speedTimes[1]}};
constexpr double trialValues[] = {0.0015, 0.006, 0.02, 0.07};

// Curves that deviate from their trend by this much are rare.
double smoothLogPrior(double smooth)
{
    return smooth > 0.1 ? -0.3 : 0.0;
}

/// Sizes that differ from all their neighbors by more than half a percent are rarer still: with the shortest
/// length, even neighbors have nothing in common.
double roughLogPrior(double rough, double length)
{
    const double isLarge = (rough > 0.05 ? -0.7 : 0.0) + (rough > 0.2 ? -0.7 : 0.0);
    return isLarge - (length == roughLengths[0] ? std::max(0.0, std::log(rough / 0.004)) : 0.0);
}

std::vector<Hyperparameters> makeGrid()
{
    std::vector<Hyperparameters> grid;
    const double lengthLogPrior = -std::log(static_cast<double>(std::size(roughLengths)));
    for (const double smooth : smoothValues) {
        for (const double rough : roughValues) {
            for (const double roughLength : roughLengths) {
                // The smallest rough part is negligible, so that its length says nothing.
                const bool isNone = rough == roughValues[0];
                if (isNone && roughLength != Hyperparameters{}.roughLength)
                    continue;
                for (const DeviceSpeed& speed : speeds) {
                    for (const double trial : trialValues) {
                        grid.push_back({.smooth = smooth,
                                        .rough = rough,
                                        .roughLength = roughLength,
                                        .speed = speed.deviation,
                                        .speedTime = speed.time,
                                        .trial = trial,
                                        .logPrior = smoothLogPrior(smooth) +
                                                    roughLogPrior(rough, roughLength) +
                                                    (isNone ? 0.0 : lengthLogPrior)});
                    }
                }
            }
        }
    }
    return grid;
}

const double smoothRate = std::sqrt(3.0) / smoothLength;
/// Distance between nodes, in the logarithm of the size; between them, the smooth part of a draw is
/// interpolated.
constexpr double nodeDistance = 0.08;

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
        // Matern 3/2 as a state space (Hartikainen and Sarkka, MLSP 2010), with deviation 1.
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

void PriorSampler::drawSmooth(RandomSource& random, Eigen::VectorXd& values) const
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

} // namespace batchpeak::search
