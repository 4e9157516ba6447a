// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_time_posterior.h"

#include "random_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace batchpeak::search {

namespace {

struct RoughDeviation
{
    double value = 0.0;
    double logPrior = 0.0;
};

// Recorded curves deviate from a line by 5 % on average and by 12 % at their worst points; more is rare.
constexpr std::array<RoughDeviation, 6> roughDeviations{
    {{0.001, 0.0}, {0.004, 0.0}, {0.012, 0.0}, {0.035, 0.0}, {0.1, -0.7}, {0.25, -1.4}}};
constexpr std::array roughLengths{0.03, 0.1, 0.35};
constexpr std::array runDeviations{0.0015, 0.005, 0.015};

/// One draw from the prior of the rough deviation at every size, in their order: OU is Markov.
void drawDeviations(const StepTimeFit& fit, const std::vector<double>& logSizes, RandomSource& random,
                    Eigen::VectorXd& deviations)
{
    const double variance = fit.covariance(0.0);
    double previous = std::sqrt(variance) * random.normal();
    deviations(0) = previous;
    for (std::size_t i = 1; i < logSizes.size(); ++i) {
        const double correlation = fit.covariance(logSizes[i] - logSizes[i - 1]) / variance;
        previous = correlation * previous +
                   std::sqrt(variance * (1.0 - correlation * correlation)) * random.normal();
        deviations(static_cast<Eigen::Index>(i)) = previous;
    }
}

} // namespace

StepTimePosterior::StepTimePosterior(std::vector<TimedSize> trials) : m_trials(std::move(trials))
{
    std::vector<double> logWeights;
    for (const RoughDeviation& deviation : roughDeviations) {
        for (const double length : roughLengths) {
            for (const double runDeviation : runDeviations) {
                const Roughness roughness{
                    .deviation = deviation.value, .length = length, .runDeviation = runDeviation};
                m_fits.emplace_back(m_trials, roughness);
                logWeights.push_back(m_fits.back().logEvidence() + deviation.logPrior);
            }
        }
    }
    const double largest = std::ranges::max(logWeights);
    for (const double logWeight : logWeights)
        m_weights.push_back(std::exp(logWeight - largest));
    const double sum = std::reduce(m_weights.begin(), m_weights.end());
    for (double& weight : m_weights)
        weight /= sum;
}

SamplePaths StepTimePosterior::draw(std::vector<std::int64_t> sizes, std::size_t count,
                                    RandomSource& random) const
{
    std::vector<double> logSizes;
    for (const std::int64_t size : sizes)
        logSizes.push_back(std::log(static_cast<double>(size)));
    std::vector<Eigen::Index> columns;
    for (const TimedSize& trial : m_trials) {
        const auto place = std::ranges::lower_bound(sizes, static_cast<std::int64_t>(trial.size));
        columns.push_back(place - sizes.begin());
    }

    const auto columnCount = static_cast<Eigen::Index>(sizes.size());
    const auto trialCount = static_cast<Eigen::Index>(m_trials.size());
    const Eigen::VectorXd sizeValues =
        Eigen::Map<const Eigen::Array<std::int64_t, Eigen::Dynamic, 1>>(sizes.data(), columnCount)
            .cast<double>();
    SamplePaths paths{.sizes = std::move(sizes), .count = count};
    paths.logSeconds.resize(count * logSizes.size());
    Eigen::VectorXd deviations(columnCount);
    Eigen::VectorXd residuals(trialCount);
    Eigen::MatrixXd covariances(columnCount, trialCount);

    // Systematic resampling: each roughness gets its share of the paths to within one.
    const double offset = random.uniform();
    double cumulated = 0.0;
    std::size_t drawn = 0;
    for (std::size_t model = 0; model < m_fits.size() && drawn < count; ++model) {
        cumulated += m_weights[model];
        const bool isLast = model + 1 == m_fits.size();
        const auto isOfModel = [&](std::size_t index) {
            return isLast || (offset + static_cast<double>(index)) / static_cast<double>(count) < cumulated;
        };
        if (!isOfModel(drawn))
            continue;
        const StepTimeFit& fit = m_fits[model];
        for (Eigen::Index trial = 0; trial < trialCount; ++trial) {
            const double logSize =
                logSizes[static_cast<std::size_t>(columns[static_cast<std::size_t>(trial)])];
            for (Eigen::Index column = 0; column < columnCount; ++column) {
                covariances(column, trial) =
                    fit.covariance(std::abs(logSizes[static_cast<std::size_t>(column)] - logSize));
            }
        }
        for (; drawn < count && isOfModel(drawn); ++drawn) {
            const Eigen::Vector2d line = fit.drawLine(random);
            drawDeviations(fit, logSizes, random, deviations);
            Eigen::Map<Eigen::VectorXd> path(paths.logSeconds.data() + drawn * logSizes.size(), columnCount);
            path = (line(0) + line(1) * sizeValues.array()).log().matrix() + deviations;
            for (Eigen::Index trial = 0; trial < trialCount; ++trial) {
                const auto index = static_cast<std::size_t>(trial);
                residuals(trial) = std::log(m_trials[index].seconds) - path(columns[index]) -
                                   std::sqrt(fit.noiseVariance(index)) * random.normal();
            }
            path.noalias() += covariances * fit.conditioningWeights(residuals);
        }
    }
    return paths;
}

} // namespace batchpeak::search
