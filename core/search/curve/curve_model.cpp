// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "curve_model.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace batchpeak::search {

namespace {

constexpr std::size_t scalesWithAlignments = 30;
constexpr std::size_t scalesWithSteps = 10;
constexpr std::size_t alignmentsWithWaves = 2;
/// Fewer trials cannot tell a step from a rough curve.
constexpr Eigen::Index fewestForCliffs = 4;
constexpr Eigen::Index fewestForWaves = 5;

/// Columns of the linearised problem, multiplied by the inverse Cholesky factor of one covariance: what the
/// evidence of every shape under these scales is made of.
class Whitened
{
public:
    Whitened(const CurveTrials& trials, const CurveScales& scales)
        : m_trials(trials), m_factor(trials.covariance(scales))
    {
        const ThetaPrior prior(trials, {});
        m_logDeterminant = m_factor.matrixL().toDenseMatrix().diagonal().array().log().sum();
        Eigen::MatrixXd columns(trials.count(), 3);
        columns.col(0) = prior.deviation[0] * trials.seconds.cwiseInverse();
        columns.col(1) = prior.deviation[1] * trials.size.cwiseQuotient(trials.seconds);
        columns.col(2).setOnes();
        columns.col(2) -= prior.mean[0] / prior.deviation[0] * columns.col(0);
        columns.col(2) -= prior.mean[1] / prior.deviation[1] * columns.col(1);
        m_factor.matrixL().solveInPlace(columns);
        m_base = columns;
    }

    /// Columns of one feature alone, in units of its prior deviation.
    Eigen::VectorXd steps(const CurveShape& shape) const { return column(shape, 2); }
    Eigen::VectorXd misaligned(const CurveShape& shape) const { return column(shape, 3); }

    /// Logarithm of the marginal likelihood, up to a constant.
    double logEvidence(const Eigen::VectorXd& steps, const Eigen::VectorXd& misaligned) const
    {
        Eigen::MatrixXd u(m_trials.count(), 4);
        u.col(0) = m_base.col(0);
        u.col(1) = m_base.col(1);
        if (steps.size() > 0)
            u.col(2) = steps;
        else
            u.col(2).setZero();
        u.col(3) = misaligned;
        const auto q = m_base.col(2);
        const Eigen::Matrix4d e = Eigen::Matrix4d::Identity() + Eigen::Matrix4d(u.transpose() * u);
        const Eigen::Vector4d uq = u.transpose() * q;
        const Eigen::LLT<Eigen::Matrix4d> factor(e);
        const double logDeterminant = 2.0 * Eigen::Matrix4d(factor.matrixL()).diagonal().array().log().sum();
        return -m_logDeterminant - 0.5 * logDeterminant - 0.5 * (q.squaredNorm() - uq.dot(factor.solve(uq)));
    }

private:
    Eigen::VectorXd column(const CurveShape& shape, Eigen::Index feature) const
    {
        Eigen::VectorXd values(m_trials.count());
        for (Eigen::Index i = 0; i < values.size(); ++i)
            values[i] = shape.features(m_trials.size[i])[feature] / m_trials.seconds[i];
        values *= ThetaPrior(m_trials, shape).deviation[feature];
        m_factor.matrixL().solveInPlace(values);
        return values;
    }

    const CurveTrials& m_trials;
    Eigen::LLT<Eigen::MatrixXd> m_factor;
    double m_logDeterminant = 0.0;
    /// Overhead, work per sample, and what they leave unexplained at their prior means.
    Eigen::MatrixXd m_base;
};

std::vector<std::size_t> bestFirst(const std::vector<CurveModel>& models)
{
    std::vector<std::size_t> order(models.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return models[a].logWeight > models[b].logWeight; });
    return order;
}

/// The shapes whose single best models weigh most.
std::vector<LikelyShape> bestShapes(const std::vector<LikelyShape>& shapes,
                                    const std::vector<CurveModel>& models, std::size_t count)
{
    std::vector<std::pair<double, std::size_t>> best;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        double weight = -std::numeric_limits<double>::infinity();
        for (const CurveModel& model : models) {
            if (model.shape == shapes[i].shape)
                weight = std::max(weight, model.logWeight);
        }
        best.emplace_back(weight, i);
    }
    std::ranges::stable_sort(best, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<LikelyShape> chosen;
    for (std::size_t i = 0; i < std::min(count, best.size()); ++i)
        chosen.push_back(shapes[best[i].second]);
    return chosen;
}

} // namespace

std::vector<CurveModel> weighCurveModels(const CurveTrials& trials, double largestFit)
{
    const std::vector<LikelyShape> alignments = alignedShapes();
    const CurveShape plain = alignments.front().shape;
    const Eigen::VectorXd noSteps;

    std::vector<CurveModel> models;
    for (const CurveScales& scales : curveScalesGrid()) {
        const Whitened whitened(trials, scales);
        models.push_back(
            {.shape = plain,
             .scales = scales,
             .logWeight = whitened.logEvidence(noSteps, whitened.misaligned(plain)) + scales.logPrior});
    }

    const std::vector<std::size_t> order = bestFirst(models);
    std::vector<Whitened> best;
    std::vector<CurveScales> bestScales;
    for (std::size_t i = 0; i < std::min(scalesWithAlignments, order.size()); ++i) {
        bestScales.push_back(models[order[i]].scales);
        best.emplace_back(trials, bestScales.back());
    }
    const auto add = [&](std::size_t which, const CurveShape& shape, double logEvidence, double logPrior) {
        models.push_back({.shape = shape,
                          .scales = bestScales[which],
                          .logWeight = logEvidence + bestScales[which].logPrior + logPrior});
    };
    for (std::size_t i = 0; i < best.size(); ++i) {
        for (std::size_t a = 1; a < alignments.size(); ++a) {
            const CurveShape& shape = alignments[a].shape;
            add(i, shape, best[i].logEvidence(noSteps, best[i].misaligned(shape)), alignments[a].logPrior);
        }
    }

    const std::vector<LikelyShape> bestAligned = bestShapes(alignments, models, alignmentsWithWaves);
    const auto addSteps = [&](const std::vector<LikelyShape>& shapes, std::size_t alignmentCount) {
        for (std::size_t i = 0; i < std::min(scalesWithSteps, best.size()); ++i) {
            std::vector<Eigen::VectorXd> misaligned;
            for (std::size_t a = 0; a < alignmentCount; ++a)
                misaligned.push_back(best[i].misaligned(bestAligned[a].shape));
            for (const LikelyShape& likely : shapes) {
                const Eigen::VectorXd steps = best[i].steps(likely.shape);
                for (std::size_t a = 0; a < alignmentCount; ++a) {
                    CurveShape shape = likely.shape;
                    shape.alignment = bestAligned[a].shape.alignment;
                    add(i, shape, best[i].logEvidence(steps, misaligned[a]),
                        likely.logPrior + bestAligned[a].logPrior);
                }
            }
        }
    };
    if (trials.count() >= fewestForCliffs)
        addSteps(cliffShapes(trials, largestFit), 1);
    if (trials.count() >= fewestForWaves)
        addSteps(wavedShapes(trials, largestFit), alignmentsWithWaves);
    return models;
}

} // namespace batchpeak::search
