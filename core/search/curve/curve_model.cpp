// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "curve_model.h"

#include "in_parts.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace batchpeak::search {

namespace {

// Of the alignments, in their order, the first alignmentsOnWholeGrid (none and the default one) are weighted
// on the whole grid of hyper-parameters, and the first commonAlignments (including powers of two) on its best
// points; all others on fewer points.
constexpr std::size_t alignmentsOnWholeGrid = 2;
constexpr std::size_t commonAlignments = 6;
constexpr std::size_t gridPointsWithCommonAlignments = 30;
constexpr std::size_t gridPointsWithRareAlignments = 6;
constexpr std::size_t gridPointsWithSteps = 10;
constexpr std::size_t alignmentsWithWaves = 2;
/// Fewer trials cannot tell a step from a rough curve.
constexpr Eigen::Index fewestForCliffs = 4;
constexpr Eigen::Index fewestForWaves = 5;

/// Distance between the grid points that are evaluated to find roughly the best explanation of the trials.
constexpr std::size_t coarseStride = 7;
/// Shares by which a known disturbance made a trial longer. The largest comes first, to be believed as long
/// as no trial contradicts it.
constexpr double disturbances[] = {0.6, 0.2, 0.05, 0.0};

/// Returns the linearized logarithms of times: overhead and work per sample in units of their prior
/// deviation, and what they leave unexplained at their prior means. They are linearized about the median of
/// each size: about a trial's own time, a trend of next to nothing would explain trials of one size however
/// far apart they are.
Eigen::MatrixXd linearised(const Observations& trials)
{
    const CoefficientPrior prior(trials, {});
    Eigen::MatrixXd columns(trials.count(), 3);
    columns.col(0) = prior.deviation[0] * trials.medianSeconds.cwiseInverse();
    columns.col(1) = prior.deviation[1] * trials.size.cwiseQuotient(trials.medianSeconds);
    columns.col(2) = 1.0 + (trials.seconds.array() / trials.medianSeconds.array()).log();
    columns.col(2) -= prior.mean[0] / prior.deviation[0] * columns.col(0);
    columns.col(2) -= prior.mean[1] / prior.deviation[1] * columns.col(1);
    return columns;
}

/// The marginal likelihood of every trend under one set of hyper-parameters. The trials are linearized and
/// multiplied by the inverse Cholesky factor of their covariance, so that a trend adds two columns only.
class GridPoint
{
public:
    /// \param base  linearised() of the trials
    GridPoint(const Observations& trials, const Hyperparameters& hyperparameters, double visitEvidence,
              Eigen::MatrixXd base)
        : m_trials(trials),
          m_hyperparameters(hyperparameters),
          m_factor(trials.covariance(hyperparameters)),
          m_base(std::move(base))
    {
        m_logDeterminant = m_factor.matrixLLT().diagonal().array().log().sum();
        m_logDeterminant -= visitEvidence;
        m_factor.matrixL().solveInPlace(m_base);
    }

    /// Logarithm of evidence times prior of the plain trend.
    double weightOfPlain() const
    {
        const Eigen::VectorXd none = Eigen::VectorXd::Zero(m_trials.count());
        return logEvidence(none, none) + m_hyperparameters.logPrior;
    }

    /// Return the column of one feature alone, in units of its prior deviation.
    Eigen::VectorXd steps(const Trend& trend) const { return column(trend, 2); }
    Eigen::VectorXd misaligned(const Trend& trend) const { return column(trend, 3); }

    /// \param steps  empty for a trend without steps
    CurveModel weigh(const CandidateTrend& candidate, const Eigen::VectorXd& steps,
                     const Eigen::VectorXd& misaligned) const
    {
        return {.trend = candidate.trend,
                .hyperparameters = m_hyperparameters,
                .logWeight =
                    logEvidence(steps, misaligned) + m_hyperparameters.logPrior + candidate.logPrior};
    }

private:
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

    Eigen::VectorXd column(const Trend& trend, Eigen::Index feature) const
    {
        Eigen::VectorXd values(m_trials.count());
        for (Eigen::Index i = 0; i < values.size(); ++i)
            values[i] = trend.features(m_trials.size[i])[feature] / m_trials.medianSeconds[i];
        values *= CoefficientPrior(m_trials, trend).deviation[feature];
        m_factor.matrixL().solveInPlace(values);
        return values;
    }

    const Observations& m_trials;
    Hyperparameters m_hyperparameters;
    Eigen::LLT<Eigen::MatrixXd> m_factor;
    double m_logDeterminant = 0.0;
    /// Overhead, work per sample, and what they leave unexplained at their prior means.
    Eigen::MatrixXd m_base;
};

/// The evidence of visits, computed once for all grid points that share the values it depends on.
class VisitEvidence
{
public:
    explicit VisitEvidence(const Observations& trials) : m_trials(trials) {}
    double operator()(const Hyperparameters& scales)
    {
        const auto [place, isNew] = m_known.try_emplace({scales.speed, scales.speedTime, scales.trial});
        if (isNew)
            place->second = m_trials.logEvidenceOfVisits(scales);
        return place->second;
    }

private:
    const Observations& m_trials;
    std::map<std::array<double, 3>, double> m_known;
};

std::vector<std::size_t> heaviest(const std::vector<double>& logWeights, std::size_t count)
{
    std::vector<std::size_t> order(logWeights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return logWeights[i]; });
    order.resize(std::min(count, order.size()));
    return order;
}

void weighTrials(Observations& trials, VisitEvidence& evidence, const Eigen::MatrixXd& base)
{
    double heaviest = -std::numeric_limits<double>::infinity();
    Hyperparameters best;
    double disturbance = 0.0;
    for (const double candidate : disturbances) {
        trials.disturbance = candidate;
        for (std::size_t i = 0; i < hyperparameterGrid().size(); i += coarseStride) {
            const Hyperparameters& hyperparameters = hyperparameterGrid()[i];
            if (const double weight =
                    GridPoint(trials, hyperparameters, evidence(hyperparameters), base).weightOfPlain();
                weight > heaviest) {
                heaviest = weight;
                best = hyperparameters;
                disturbance = candidate;
            }
        }
        if (trials.isDisturbed.isZero())
            break;
    }
    trials.disturbance = disturbance;
    trials.weighTails(best, base.leftCols(2), base.col(2));
}

} // namespace

std::vector<CurveModel> weighCurveModels(Observations& trials, double largestFit)
{
    // Neither base nor evidence depends on the weights of the trials.
    const Eigen::MatrixXd base = linearised(trials);
    VisitEvidence evidence(trials);
    weighTrials(trials, evidence, base);
    constexpr double none = -std::numeric_limits<double>::infinity();
    const std::vector<CandidateTrend> alignments = alignedTrends(largestFit);
    std::vector<double> weightsOfAlignments(alignments.size(), none);
    std::vector<CurveModel> models;
    const std::vector<Hyperparameters>& grid = hyperparameterGrid();
    std::vector<double> evidences;
    evidences.reserve(grid.size());
    for (const Hyperparameters& hyperparameters : grid)
        evidences.push_back(evidence(hyperparameters));
    models.resize(alignmentsOnWholeGrid * grid.size());
    inParts(grid.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const GridPoint point(trials, grid[i], evidences[i], base);
            for (std::size_t a = 0; a < alignmentsOnWholeGrid; ++a)
                models[alignmentsOnWholeGrid * i + a] =
                    point.weigh(alignments[a], {}, point.misaligned(alignments[a].trend));
        }
    });
    std::vector<double> weightsOfPoints(grid.size(), none);
    for (std::size_t model = 0; model < models.size(); ++model) {
        double& ofPoint = weightsOfPoints[model / alignmentsOnWholeGrid];
        double& ofAlignment = weightsOfAlignments[model % alignmentsOnWholeGrid];
        ofPoint = std::max(ofPoint, models[model].logWeight);
        ofAlignment = std::max(ofAlignment, models[model].logWeight);
    }
    std::vector<GridPoint> best;
    for (const std::size_t point : heaviest(weightsOfPoints, gridPointsWithCommonAlignments))
        best.emplace_back(trials, grid[point], evidences[point], base);

    for (std::size_t a = alignmentsOnWholeGrid; a < alignments.size(); ++a) {
        const bool isRare = a >= commonAlignments;
        const std::size_t points = isRare ? gridPointsWithRareAlignments : gridPointsWithCommonAlignments;
        for (std::size_t i = 0; i < std::min(best.size(), points); ++i) {
            models.push_back(best[i].weigh(alignments[a], {}, best[i].misaligned(alignments[a].trend)));
            weightsOfAlignments[a] = std::max(weightsOfAlignments[a], models.back().logWeight);
        }
    }

    std::vector<CandidateTrend> bestAligned;
    for (const std::size_t a : heaviest(weightsOfAlignments, alignmentsWithWaves))
        bestAligned.push_back(alignments[a]);
    const auto addSteps = [&](const std::vector<CandidateTrend>& stepped, std::size_t alignmentCount) {
        for (std::size_t i = 0; i < std::min(gridPointsWithSteps, best.size()); ++i) {
            std::vector<Eigen::VectorXd> misaligned;
            for (std::size_t a = 0; a < alignmentCount; ++a)
                misaligned.push_back(best[i].misaligned(bestAligned[a].trend));
            for (const CandidateTrend& candidate : stepped) {
                const Eigen::VectorXd steps = best[i].steps(candidate.trend);
                for (std::size_t a = 0; a < alignmentCount; ++a) {
                    CandidateTrend both = candidate;
                    both.trend.alignment = bestAligned[a].trend.alignment;
                    both.logPrior += bestAligned[a].logPrior;
                    models.push_back(best[i].weigh(both, steps, misaligned[a]));
                }
            }
        }
    };
    if (trials.count() >= fewestForCliffs)
        addSteps(cliffTrends(trials, largestFit), 1);
    if (trials.count() >= fewestForWaves)
        addSteps(waveTrends(trials, largestFit), alignmentsWithWaves);
    return models;
}

} // namespace batchpeak::search
