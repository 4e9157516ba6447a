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

/// Draws the rough deviation at ascending sizes, one after another: an Ornstein-Uhlenbeck process forgets
/// all but the last.
class RoughPrior
{
public:
    RoughPrior(const Roughness& roughness, const Eigen::ArrayXd& logSizes)
        : m_correlations(logSizes.size()), m_innovations(logSizes.size())
    {
        const Eigen::Index gaps = logSizes.size() - 1;
        m_correlations(0) = 0.0;
        m_correlations.tail(gaps) = ((logSizes.head(gaps) - logSizes.tail(gaps)) / roughness.length).exp();
        m_innovations = roughness.deviation * (1.0 - m_correlations.square()).sqrt();
    }

    void addDraw(RandomSource& random, Eigen::Ref<Eigen::VectorXd> path) const
    {
        double deviation = 0.0;
        for (Eigen::Index i = 0; i < path.size(); ++i) {
            deviation = m_correlations(i) * deviation + m_innovations(i) * random.normal();
            path(i) += deviation;
        }
    }

private:
    Eigen::ArrayXd m_correlations;
    Eigen::ArrayXd m_innovations;
};

/// Draws paths of one roughness.
class PathDraw
{
public:
    PathDraw(const StepTimeFit& fit, const std::vector<TimedSize>& trials, const Eigen::ArrayXd& sizes)
        : m_fit(fit),
          m_trials(trials),
          m_sizes(sizes),
          m_prior(fit.roughness(), sizes.log()),
          m_covariances(sizes.size(), static_cast<Eigen::Index>(trials.size())),
          m_residuals(static_cast<Eigen::Index>(trials.size()))
    {
        const Eigen::ArrayXd logSizes = sizes.log();
        Eigen::Index index = 0;
        for (const TimedSize& trial : trials) {
            m_columns.push_back(std::lower_bound(sizes.begin(), sizes.end(), trial.size) - sizes.begin());
            m_covariances.col(index++) = fit.covariances((logSizes - std::log(trial.size)).abs());
        }
    }

    void draw(RandomSource& random, Eigen::Ref<Eigen::VectorXd> path)
    {
        const Eigen::Vector2d line = m_fit.drawLine(random);
        path = (line(0) + line(1) * m_sizes).log().matrix();
        m_prior.addDraw(random, path);
        for (std::size_t trial = 0; trial < m_trials.size(); ++trial) {
            const double noise = std::sqrt(m_fit.noiseVariance(trial)) * random.normal();
            m_residuals(static_cast<Eigen::Index>(trial)) =
                std::log(m_trials[trial].seconds) - path(m_columns[trial]) - noise;
        }
        path.noalias() += m_covariances * m_fit.conditioningWeights(m_residuals);
    }

private:
    const StepTimeFit& m_fit;
    const std::vector<TimedSize>& m_trials;
    const Eigen::ArrayXd& m_sizes;
    RoughPrior m_prior;
    Eigen::MatrixXd m_covariances;
    Eigen::VectorXd m_residuals;
    /// Where the sizes of the trials stand among all.
    std::vector<Eigen::Index> m_columns;
};

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
    const auto columns = static_cast<Eigen::Index>(sizes.size());
    const Eigen::ArrayXd sizeValues =
        Eigen::Map<const Eigen::Array<std::int64_t, Eigen::Dynamic, 1>>(sizes.data(), columns).cast<double>();
    SamplePaths paths{.sizes = std::move(sizes), .count = count};
    paths.logSeconds.resize(count * paths.sizes.size());

    // Systematic resampling: each roughness gets its share of the paths to within one.
    const double offset = random.uniform();
    double cumulated = 0.0;
    std::size_t drawn = 0;
    for (std::size_t model = 0; model < m_fits.size(); ++model) {
        cumulated += m_weights[model];
        const bool isLast = model + 1 == m_fits.size();
        const double end =
            isLast ? static_cast<double>(count) : cumulated * static_cast<double>(count) - offset;
        if (static_cast<double>(drawn) >= end)
            continue;
        PathDraw pathDraw(m_fits[model], m_trials, sizeValues);
        for (; drawn < count && static_cast<double>(drawn) < end; ++drawn)
            pathDraw.draw(random, Eigen::Map<Eigen::VectorXd>(
                                      paths.logSeconds.data() + drawn * paths.sizes.size(), columns));
    }
    return paths;
}

} // namespace batchpeak::search
