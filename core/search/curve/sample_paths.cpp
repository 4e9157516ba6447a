// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_paths.h"

#include "in_parts.h"
#include "random_source.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace batchpeak::search {

namespace {

constexpr int rejectionAttempts = 12;

// Beyond the largest size that ran, deviations from the trend continue as they are there, and return to the
// trend the less the longer samples/s have been level or falling: after a factor of four, this much of their
// change is left. Otherwise the deviation that explains a fall would end, and distant sizes would seem fast
// for no reason.
constexpr double levelFactor = 4.0;
constexpr double changeBeyondLevel = 0.05;
/// Samples/s that differ by less than this are level.
constexpr double levelShare = 0.02;

/// One model in the form that its paths need.
class ModelPosterior
{
public:
    ModelPosterior(const Observations& trials, const CurveModel& model)
        : m_prior(trials, model.trend),
          m_model(model),
          m_factor(trials.covariance(model.hyperparameters)),
          m_features(trials.count(), 4)
    {
        Eigen::MatrixXd u(trials.count(), 4);
        Eigen::VectorXd q = 1.0 + (trials.seconds.array() / trials.medianSeconds.array()).log();
        for (Eigen::Index i = 0; i < trials.count(); ++i) {
            m_features.row(i) = model.trend.features(trials.size[i]);
            u.row(i) =
                m_features.row(i).cwiseProduct(m_prior.deviation.transpose()) / trials.medianSeconds[i];
            q[i] -= m_features.row(i).dot(m_prior.mean) / trials.medianSeconds[i];
        }
        m_factor.matrixL().solveInPlace(u);
        m_factor.matrixL().solveInPlace(q);
        const Eigen::LLT<Eigen::Matrix4d> factor(Eigen::Matrix4d::Identity() +
                                                 Eigen::Matrix4d(u.transpose() * u));
        m_mean = factor.solve(Eigen::Vector4d(u.transpose() * q));
        m_upper = factor.matrixU();
    }

    /// Draws coefficients that are not negative: from their posterior by rejection; after too many
    /// rejections, negative ones become 0.
    Eigen::Vector4d drawCoefficients(RandomSource& random) const
    {
        Eigen::Vector4d coefficients;
        for (int attempt = 0; attempt < rejectionAttempts; ++attempt) {
            Eigen::Vector4d normal;
            for (double& value : normal)
                value = random.normal();
            m_upper.triangularView<Eigen::Upper>().solveInPlace(normal);
            coefficients = m_prior.mean + m_prior.deviation.cwiseProduct(m_mean + normal);
            if (!m_model.trend.hasSteps())
                coefficients[2] = 0.0;
            if (!m_model.trend.hasAlignment())
                coefficients[3] = 0.0;
            if (coefficients.minCoeff() >= 0.0)
                return coefficients;
        }
        coefficients = coefficients.cwiseMax(0.0);
        // A curve that takes no time, even if only up to a cliff, is not valid.
        const double everywhere =
            coefficients[0] + coefficients[1] + (m_model.trend.wave > 0.0 ? coefficients[2] : 0.0);
        if (everywhere <= 0.0)
            coefficients[1] = 0.5 * m_prior.mean[1];
        return coefficients;
    }

    Eigen::VectorXd trendAtTrials(const Eigen::Vector4d& coefficients) const
    {
        return m_features * coefficients;
    }
    const Eigen::LLT<Eigen::MatrixXd>& factor() const { return m_factor; }

private:
    CoefficientPrior m_prior;
    const CurveModel& m_model;
    Eigen::LLT<Eigen::MatrixXd> m_factor;
    Eigen::MatrixXd m_features;
    /// Posterior mean of the coefficients, in units of their prior.
    Eigen::Vector4d m_mean;
    Eigen::Matrix4d m_upper;
};

std::vector<std::size_t> indicesOfTrials(const Observations& trials, std::span<const std::int64_t> sizes)
{
    std::vector<std::size_t> indices;
    for (const double size : trials.size) {
        const auto place = std::ranges::lower_bound(sizes, static_cast<std::int64_t>(size));
        indices.push_back(static_cast<std::size_t>(place - sizes.begin()));
    }
    return indices;
}

/// The values that move each path (a column) from its prior toward the trials (rows).
struct Moves
{
    Eigen::MatrixXd smooth;
    Eigen::MatrixXd rough;
    /// Rough length of each path's model, ascending.
    std::vector<double> roughLengths;
};

void move(Eigen::MatrixXd& logSeconds, const Observations& trials, const Eigen::VectorXd& logSize,
          const Moves& moves)
{
    logSeconds.noalias() += trials.smoothCovariance(logSize) * moves.smooth;
    for (const double length : roughLengths) {
        const auto first = std::ranges::lower_bound(moves.roughLengths, length);
        const auto last = std::ranges::upper_bound(moves.roughLengths, length);
        const Eigen::Index start = first - moves.roughLengths.begin();
        const Eigen::Index count = last - first;
        if (count > 0) {
            logSeconds.middleCols(start, count).noalias() +=
                trials.roughCovariance(logSize, length) * moves.rough.middleCols(start, count);
        }
    }
}

/// Returns over which distance below the largest size that ran samples/s are level or falling, in the mean of
/// the paths: from the smallest size that ran as fast as the fastest one, to the largest, in the logarithm of
/// the size.
double levelLength(const Eigen::MatrixXd& logSeconds, const Eigen::VectorXd& logSize,
                   std::span<const std::size_t> measured)
{
    const auto meanLogSpeed = [&](std::size_t place) {
        const auto index = static_cast<Eigen::Index>(place);
        return logSize[index] - logSeconds.row(index).mean();
    };
    double fastest = -std::numeric_limits<double>::infinity();
    for (const std::size_t place : measured)
        fastest = std::max(fastest, meanLogSpeed(place));
    std::size_t first = std::ranges::max(measured);
    const std::size_t largest = first;
    for (const std::size_t place : measured) {
        if (place < first && meanLogSpeed(place) > fastest - levelShare)
            first = place;
    }
    return logSize[static_cast<Eigen::Index>(largest)] - logSize[static_cast<Eigen::Index>(first)];
}

} // namespace

SamplePaths drawSamplePaths(const Observations& trials, const std::vector<CurveModel>& models,
                            std::span<const std::int64_t> sizes, int pathCount, RandomSource& random)
{
    const std::vector<std::size_t> trialIndices = indicesOfTrials(trials, sizes);
    const auto gridCount = static_cast<Eigen::Index>(sizes.size());
    Eigen::VectorXd size(gridCount);
    for (Eigen::Index i = 0; i < gridCount; ++i)
        size[i] = static_cast<double>(sizes[static_cast<std::size_t>(i)]);
    const Eigen::VectorXd logSize = size.array().log();

    std::vector<double> logWeights;
    logWeights.reserve(models.size());
    for (const CurveModel& model : models)
        logWeights.push_back(model.logWeight);
    std::vector<std::size_t> chosen = resampleSystematically(logWeights, pathCount, random);
    // Paths with the same rough length are adjacent, so that one matrix product moves all of them.
    std::ranges::stable_sort(chosen, {},
                             [&](std::size_t model) { return models[model].hyperparameters.roughLength; });

    SamplePaths paths{.logSeconds = Eigen::MatrixXd(gridCount, pathCount),
                      .scales = std::vector<Hyperparameters>(chosen.size()),
                      .trends = std::vector<Trend>(chosen.size()),
                      .coefficients = Eigen::Matrix4Xd(4, pathCount)};
    Moves moves{.smooth = Eigen::MatrixXd(trials.count(), pathCount),
                .rough = Eigen::MatrixXd(trials.count(), pathCount),
                .roughLengths = std::vector<double>(chosen.size())};
    std::vector<std::uint64_t> seeds;
    for (std::size_t path = 0; path < chosen.size(); ++path)
        seeds.push_back(random.bits());
    const PriorSampler draws(sizes, trialIndices);
    const Eigen::VectorXd logSeconds = trials.seconds.array().log();
    inParts(chosen.size(), [&](std::size_t firstPath, std::size_t lastPath) {
        Eigen::VectorXd smooth(gridCount);
        Eigen::VectorXd rough(gridCount);
        std::optional<ModelPosterior> posterior;
        for (std::size_t which = firstPath; which < lastPath; ++which) {
            const auto path = static_cast<Eigen::Index>(which);
            const CurveModel& model = models[chosen[which]];
            const Hyperparameters& scale = model.hyperparameters;
            if (which == firstPath || chosen[which] != chosen[which - 1])
                posterior.emplace(trials, model);

            RandomSource ofPath(seeds[which]);
            const Eigen::Vector4d coefficients = posterior->drawCoefficients(ofPath);
            draws.drawSmooth(ofPath, smooth);
            draws.drawRough(ofPath, scale.roughLength, rough);
            smooth *= scale.smooth;
            rough *= scale.rough;

            Eigen::VectorXd residual = logSeconds - scale.speed * trials.drawSpeed(scale.speedTime, ofPath);
            residual -= trials.drawRecalledSpeed(ofPath) + trials.drawContention(ofPath);
            residual.array() -= posterior->trendAtTrials(coefficients).array().log();
            for (Eigen::Index i = 0; i < trials.count(); ++i) {
                const auto index = static_cast<Eigen::Index>(trialIndices[static_cast<std::size_t>(i)]);
                residual[i] -= smooth[index] + rough[index];
                residual[i] -= trials.noiseDeviation(i, scale) * ofPath.normal();
            }
            const Eigen::VectorXd weights = posterior->factor().solve(residual);
            moves.smooth.col(path) = scale.smooth * scale.smooth * weights;
            moves.rough.col(path) = scale.rough * scale.rough * weights;
            moves.roughLengths[which] = scale.roughLength;

            const Trend trend = withCliffMoved(model.trend, trials, ofPath.uniform());
            auto column = paths.logSeconds.col(path);
            for (Eigen::Index i = 0; i < gridCount; ++i)
                column[i] = trend.features(size[i]).dot(coefficients);
            column = column.array().log() + smooth.array() + rough.array();
            paths.scales[which] = scale;
            paths.trends[which] = trend;
            paths.coefficients.col(path) = coefficients;
        }
    });

    move(paths.logSeconds, trials, logSize, moves);
    return paths;
}

void holdBeyondTrials(SamplePaths& paths, const Observations& trials, std::span<const std::int64_t> sizes)
{
    Eigen::VectorXd size(static_cast<Eigen::Index>(sizes.size()));
    for (Eigen::Index i = 0; i < size.size(); ++i)
        size[i] = static_cast<double>(sizes[static_cast<std::size_t>(i)]);
    const std::vector<std::size_t> measured = indicesOfTrials(trials, sizes);
    const double length = levelLength(paths.logSeconds, size.array().log(), measured);
    const double change = std::max(changeBeyondLevel, 1.0 - length / std::log(levelFactor));
    if (change >= 1.0)
        return;
    const auto largest = static_cast<Eigen::Index>(std::ranges::max(measured));
    inParts(paths.trends.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t path = first; path < last; ++path) {
            auto column = paths.logSeconds.col(static_cast<Eigen::Index>(path));
            const Eigen::Vector4d coefficients = paths.coefficients.col(static_cast<Eigen::Index>(path));
            const auto ofTrend = [&](Eigen::Index i) {
                return std::log(paths.trends[path].features(size[i]).dot(coefficients));
            };
            const double held = column[largest] - ofTrend(largest);
            for (Eigen::Index i = largest + 1; i < column.size(); ++i) {
                const double expected = ofTrend(i);
                column[i] = expected + held + change * (column[i] - expected - held);
            }
        }
    });
}

} // namespace batchpeak::search
