// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "curve_paths.h"

#include "deviation_draws.h"
#include "random_source.h"
#include "systematic_resampling.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <optional>

namespace batchpeak::search {

namespace {

constexpr int thetaAttempts = 12;

/// One model as the paths that fell to it need it.
class ModelPosterior
{
public:
    ModelPosterior(const CurveTrials& trials, const CurveModel& model)
        : m_prior(trials, model.shape),
          m_model(model),
          m_factor(trials.covariance(model.scales)),
          m_features(trials.count(), 4)
    {
        Eigen::MatrixXd u(trials.count(), 4);
        Eigen::VectorXd q = Eigen::VectorXd::Ones(trials.count());
        for (Eigen::Index i = 0; i < trials.count(); ++i) {
            m_features.row(i) = model.shape.features(trials.size[i]);
            u.row(i) = m_features.row(i).cwiseProduct(m_prior.deviation.transpose()) / trials.seconds[i];
            q[i] -= m_features.row(i).dot(m_prior.mean) / trials.seconds[i];
        }
        m_factor.matrixL().solveInPlace(u);
        m_factor.matrixL().solveInPlace(q);
        const Eigen::LLT<Eigen::Matrix4d> factor(Eigen::Matrix4d::Identity() +
                                                 Eigen::Matrix4d(u.transpose() * u));
        m_mean = factor.solve(Eigen::Vector4d(u.transpose() * q));
        m_upper = factor.matrixU();
    }

    /// theta >= 0, from its posterior by rejection; after too many refusals what is negative becomes 0.
    Eigen::Vector4d drawTheta(RandomSource& random) const
    {
        Eigen::Vector4d theta;
        for (int attempt = 0; attempt < thetaAttempts; ++attempt) {
            Eigen::Vector4d normal;
            for (double& value : normal)
                value = random.normal();
            m_upper.triangularView<Eigen::Upper>().solveInPlace(normal);
            theta = m_prior.mean + m_prior.deviation.cwiseProduct(m_mean + normal);
            if (!m_model.shape.hasSteps())
                theta[2] = 0.0;
            if (!m_model.shape.hasAlignment())
                theta[3] = 0.0;
            if (theta.minCoeff() >= 0.0)
                return theta;
        }
        theta = theta.cwiseMax(0.0);
        // A curve that takes no time, be it up to a cliff only, is no curve.
        const double everywhere = theta[0] + theta[1] + (m_model.shape.wave > 0.0 ? theta[2] : 0.0);
        if (everywhere <= 0.0)
            theta[1] = 0.5 * m_prior.mean[1];
        return theta;
    }

    Eigen::VectorXd physicalAtTrials(const Eigen::Vector4d& theta) const { return m_features * theta; }
    const Eigen::LLT<Eigen::MatrixXd>& factor() const { return m_factor; }

private:
    ThetaPrior m_prior;
    const CurveModel& m_model;
    Eigen::LLT<Eigen::MatrixXd> m_factor;
    Eigen::MatrixXd m_features;
    /// Posterior of theta in units of its prior.
    Eigen::Vector4d m_mean;
    Eigen::Matrix4d m_upper;
};

std::vector<std::size_t> indicesOfTrials(const CurveTrials& trials, std::span<const std::int64_t> sizes)
{
    std::vector<std::size_t> indices;
    for (const double size : trials.size) {
        const auto place = std::ranges::lower_bound(sizes, static_cast<std::int64_t>(size));
        indices.push_back(static_cast<std::size_t>(place - sizes.begin()));
    }
    return indices;
}

} // namespace

CurvePaths drawCurvePaths(const CurveTrials& trials, const std::vector<CurveModel>& models,
                          std::span<const std::int64_t> sizes, int pathCount, RandomSource& random)
{
    const std::vector<std::size_t> trialIndices = indicesOfTrials(trials, sizes);
    const auto gridCount = static_cast<Eigen::Index>(sizes.size());
    Eigen::VectorXd size(gridCount);
    for (Eigen::Index i = 0; i < gridCount; ++i)
        size[i] = static_cast<double>(sizes[static_cast<std::size_t>(i)]);
    const Eigen::VectorXd logSize = size.array().log();

    std::vector<double> logWeights;
    for (const CurveModel& model : models)
        logWeights.push_back(model.logWeight);
    std::vector<std::size_t> chosen = resampleSystematically(logWeights, pathCount, random);
    // Paths of one rough length stand side by side, so that each moves them all in one matrix product.
    std::ranges::stable_sort(chosen, {}, [&](std::size_t model) { return models[model].scales.roughLength; });

    CurvePaths paths{.logSeconds = Eigen::MatrixXd(gridCount, pathCount),
                     .runNoise = Eigen::VectorXd(pathCount),
                     .drift = Eigen::VectorXd(pathCount),
                     .shapes = {},
                     .theta = Eigen::Matrix4Xd(4, pathCount)};
    Eigen::MatrixXd smoothMoves(trials.count(), pathCount);
    Eigen::MatrixXd roughMoves(trials.count(), pathCount);
    DeviationDraws draws(sizes, trialIndices);
    Eigen::VectorXd smooth(gridCount);
    Eigen::VectorXd rough(gridCount);
    Eigen::VectorXd physical(gridCount);
    const Eigen::VectorXd logSeconds = trials.seconds.array().log();
    std::optional<ModelPosterior> posterior;
    for (int path = 0; path < pathCount; ++path) {
        const std::size_t which = chosen[static_cast<std::size_t>(path)];
        const CurveModel& model = models[which];
        if (path == 0 || which != chosen[static_cast<std::size_t>(path) - 1])
            posterior.emplace(trials, model);

        const Eigen::Vector4d theta = posterior->drawTheta(random);
        draws.drawSmooth(random, smooth);
        draws.drawRough(random, model.scales.roughLength, rough);
        const Eigen::VectorXd drift = model.scales.drift * drawDrift(trials.clock, random);
        smooth *= model.scales.smooth;
        rough *= model.scales.rough;

        Eigen::VectorXd residual = logSeconds - drift;
        residual.array() -= posterior->physicalAtTrials(theta).array().log();
        for (Eigen::Index i = 0; i < trials.count(); ++i) {
            const auto index = static_cast<Eigen::Index>(trialIndices[static_cast<std::size_t>(i)]);
            residual[i] -= smooth[index] + rough[index];
            residual[i] -= std::hypot(trials.error[i], model.scales.run) * random.normal();
        }
        const Eigen::VectorXd move = posterior->factor().solve(residual);
        smoothMoves.col(path) = model.scales.smooth * model.scales.smooth * move;
        roughMoves.col(path) = model.scales.rough * model.scales.rough * move;

        const CurveShape shape = withCliffMoved(model.shape, trials, random.uniform());
        for (Eigen::Index i = 0; i < gridCount; ++i)
            physical[i] = shape.features(size[i]).dot(theta);
        paths.logSeconds.col(path) = physical.array().log() + smooth.array() + rough.array();
        paths.runNoise[path] = model.scales.run;
        paths.drift[path] = model.scales.drift;
        paths.shapes.push_back(shape);
        paths.theta.col(path) = theta;
    }

    paths.logSeconds.noalias() += trials.smoothCovariance(logSize) * smoothMoves;
    for (const double length : roughLengths) {
        const auto first = std::ranges::lower_bound(
            chosen, length, {}, [&](std::size_t model) { return models[model].scales.roughLength; });
        const auto last = std::ranges::upper_bound(
            chosen, length, {}, [&](std::size_t model) { return models[model].scales.roughLength; });
        const Eigen::Index start = first - chosen.begin();
        const Eigen::Index count = last - first;
        if (count > 0) {
            paths.logSeconds.middleCols(start, count).noalias() +=
                trials.roughCovariance(logSize, length) * roughMoves.middleCols(start, count);
        }
    }
    return paths;
}

} // namespace batchpeak::search
