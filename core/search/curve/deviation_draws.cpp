// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "deviation_draws.h"

#include "random_source.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchpeak::search {

namespace {

constexpr double nodeDistance = 0.08;
const double smoothRate = std::sqrt(3.0) / smoothLength;

} // namespace

DeviationDraws::DeviationDraws(std::span<const std::int64_t> sizes, std::span<const std::size_t> kept)
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

void DeviationDraws::drawSmooth(RandomSource& random, Eigen::VectorXd& values)
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

void DeviationDraws::drawRough(RandomSource& random, double length, Eigen::VectorXd& values) const
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
