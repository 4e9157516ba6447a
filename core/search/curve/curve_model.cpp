// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "curve_model.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace batchpeak::search {

namespace {

/// Without alignment and with the usual one.
constexpr std::size_t shapesWithAllScales = 2;
constexpr std::size_t scalesWithAlignments = 30;
/// Powers of two, too.
constexpr std::size_t shapesWithManyScales = 6;
constexpr std::size_t scalesWithRare = 6;
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

/// Of each place in the grid of scales, the weight of its better model among the first shapes.
std::vector<double> weightsOfScales(const std::vector<CurveModel>& models)
{
    const std::size_t scalesCount = curveScalesGrid().size();
    std::vector<double> weights(scalesCount, -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < models.size(); ++i)
        weights[i / shapesWithAllScales] = std::max(weights[i / shapesWithAllScales], models[i].logWeight);
    return weights;
}

std::vector<std::size_t> heaviest(const std::vector<double>& logWeights, std::size_t count)
{
    std::vector<std::size_t> order(logWeights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return logWeights[i]; });
    order.resize(std::min(count, order.size()));
    return order;
}

} // namespace

std::vector<CurveModel> weighCurveModels(const CurveTrials& trials, double largestFit)
{
    const std::vector<LikelyShape> alignments = alignedShapes(largestFit);
    const Eigen::VectorXd noSteps;

    std::vector<CurveModel> models;
    for (const CurveScales& scales : curveScalesGrid()) {
        const Whitened whitened(trials, scales);
        for (std::size_t a = 0; a < shapesWithAllScales; ++a) {
            const double logEvidence =
                whitened.logEvidence(noSteps, whitened.misaligned(alignments[a].shape));
            models.push_back({.shape = alignments[a].shape,
                              .scales = scales,
                              .logWeight = logEvidence + scales.logPrior + alignments[a].logPrior});
        }
    }

    std::vector<double> weightsOfAlignments(alignments.size(), -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < models.size(); ++i) {
        double& weight = weightsOfAlignments[i % shapesWithAllScales];
        weight = std::max(weight, models[i].logWeight);
    }
    std::vector<Whitened> best;
    std::vector<CurveScales> bestScales;
    for (const std::size_t place : heaviest(weightsOfScales(models), scalesWithAlignments)) {
        bestScales.push_back(curveScalesGrid()[place]);
        best.emplace_back(trials, bestScales.back());
    }
    const auto add = [&](std::size_t which, const CurveShape& shape, double logEvidence, double logPrior) {
        models.push_back({.shape = shape,
                          .scales = bestScales[which],
                          .logWeight = logEvidence + bestScales[which].logPrior + logPrior});
        return models.back().logWeight;
    };
    for (std::size_t a = shapesWithAllScales; a < alignments.size(); ++a) {
        const bool isRare = a >= shapesWithManyScales;
        for (std::size_t i = 0; i < std::min(best.size(), isRare ? scalesWithRare : best.size()); ++i) {
            const CurveShape& shape = alignments[a].shape;
            const double weight = add(i, shape, best[i].logEvidence(noSteps, best[i].misaligned(shape)),
                                      alignments[a].logPrior);
            weightsOfAlignments[a] = std::max(weightsOfAlignments[a], weight);
        }
    }

    std::vector<LikelyShape> bestAligned;
    for (const std::size_t a : heaviest(weightsOfAlignments, alignmentsWithWaves))
        bestAligned.push_back(alignments[a]);
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
