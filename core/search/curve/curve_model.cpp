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

constexpr std::int64_t usualAlignment = 8;
constexpr std::int64_t otherAlignments[] = {4, 16, 32, 64};
/// Logarithm of the prior of an alignment that is not the usual one.
const double unusualLogPrior = std::log(0.15);
constexpr std::size_t scalesWithAlignments = 30;
constexpr std::size_t scalesWithWaves = 10;
constexpr std::size_t alignmentsWithWaves = 2;
/// Fewer trials cannot tell a wave from a rough curve.
constexpr Eigen::Index fewestForWaves = 5;

/// Columns of the linearised problem, multiplied by the inverse Cholesky factor of one covariance: what the
/// evidence of every shape under these scales is made of.
class Whitened
{
public:
    Whitened(const CurveTrials& trials, const ThetaPrior& prior, const CurveScales& scales)
        : m_trials(trials), m_prior(prior), m_factor(trials.covariance(scales))
    {
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

    /// Column of one feature alone, in units of its prior deviation.
    Eigen::VectorXd column(const CurveShape& shape, Eigen::Index feature) const
    {
        Eigen::VectorXd values(m_trials.count());
        for (Eigen::Index i = 0; i < values.size(); ++i)
            values[i] = shape.features(m_trials.size[i])[feature] / m_trials.seconds[i];
        values *= m_prior.deviation[feature];
        m_factor.matrixL().solveInPlace(values);
        return values;
    }

    /// Logarithm of the marginal likelihood, up to a constant.
    double logEvidence(const Eigen::VectorXd& wave, const Eigen::VectorXd& misaligned) const
    {
        Eigen::MatrixXd u(m_trials.count(), 4);
        u.col(0) = m_base.col(0);
        u.col(1) = m_base.col(1);
        if (wave.size() > 0)
            u.col(2) = wave;
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
    const CurveTrials& m_trials;
    const ThetaPrior& m_prior;
    Eigen::LLT<Eigen::MatrixXd> m_factor;
    double m_logDeterminant = 0.0;
    /// Overhead, work per sample, and what they leave unexplained at their prior means.
    Eigen::MatrixXd m_base;
};

std::vector<double> waveLengths(double largestMeasured, double largestFit)
{
    std::vector<double> lengths;
    const double longest = std::max(largestMeasured, 0.5 * largestFit);
    for (double divisor = 1.0; divisor <= 32.0; divisor += divisor < 8.0 ? 0.125 : 0.25) {
        if (longest / divisor >= 2.0)
            lengths.push_back(longest / divisor);
    }
    for (const double usual : {8., 16., 32., 48., 64., 96., 128., 192., 256., 384., 512., 768., 1024.}) {
        if (usual > largestMeasured / 40.0 && usual < largestMeasured)
            lengths.push_back(usual);
    }
    return lengths;
}

std::vector<std::size_t> bestFirst(const std::vector<CurveModel>& models)
{
    std::vector<std::size_t> order(models.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return models[a].logWeight > models[b].logWeight; });
    return order;
}

double alignmentLogPrior(std::int64_t alignment)
{
    return alignment == usualAlignment ? 0.0 : unusualLogPrior;
}

/// The alignments whose single best models weigh most.
std::vector<std::int64_t> bestAlignments(const std::vector<CurveModel>& models)
{
    std::vector<std::pair<double, std::int64_t>> best;
    const auto note = [&](std::int64_t alignment) {
        double weight = -std::numeric_limits<double>::infinity();
        for (const CurveModel& model : models) {
            if (model.shape.alignment == alignment)
                weight = std::max(weight, model.logWeight);
        }
        best.emplace_back(weight, alignment);
    };
    note(usualAlignment);
    std::ranges::for_each(otherAlignments, note);
    std::ranges::stable_sort(best, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::int64_t> alignments;
    for (std::size_t i = 0; i < alignmentsWithWaves; ++i)
        alignments.push_back(best[i].second);
    return alignments;
}

} // namespace

Eigen::Vector4d CurveShape::features(double size) const
{
    // A size that is a whole number of waves up to rounding must not need one more.
    const double inWaves = wave > 0.0 ? wave * std::ceil(size / wave - 1e-9) : 0.0;
    const bool isAligned = static_cast<std::int64_t>(size) % alignment == 0;
    return {1.0, size, inWaves, isAligned ? 0.0 : size};
}

ThetaPrior::ThetaPrior(const CurveTrials& trials)
{
    const double shortest = trials.seconds.minCoeff();
    const double perSample = trials.seconds.cwiseQuotient(trials.size).minCoeff();
    mean = {0.5 * shortest, 0.55 * perSample, 0.0, 0.0};
    deviation = {1.5 * shortest, 0.6 * perSample, 0.4 * perSample, 0.06 * perSample};
}

std::vector<CurveModel> weighCurveModels(const CurveTrials& trials, double largestFit)
{
    const ThetaPrior prior(trials);
    const CurveShape plain{.alignment = usualAlignment};
    const Eigen::VectorXd noWave;

    std::vector<CurveModel> models;
    for (const CurveScales& scales : curveScalesGrid()) {
        const Whitened whitened(trials, prior, scales);
        models.push_back(
            {.shape = plain,
             .scales = scales,
             .logWeight = whitened.logEvidence(noWave, whitened.column(plain, 3)) + scales.logPrior});
    }

    const std::vector<std::size_t> order = bestFirst(models);
    std::vector<Whitened> best;
    for (std::size_t i = 0; i < std::min(scalesWithAlignments, order.size()); ++i) {
        const CurveScales scales = models[order[i]].scales;
        best.emplace_back(trials, prior, scales);
        for (const std::int64_t alignment : otherAlignments) {
            const CurveShape shape{.alignment = alignment};
            models.push_back({.shape = shape,
                              .scales = scales,
                              .logWeight = best.back().logEvidence(noWave, best.back().column(shape, 3)) +
                                           scales.logPrior + unusualLogPrior});
        }
    }

    if (trials.count() < fewestForWaves)
        return models;
    const std::vector<double> waves = waveLengths(trials.size.maxCoeff(), largestFit);
    const std::vector<std::int64_t> alignments = bestAlignments(models);
    const double waveLogPrior = -std::log(static_cast<double>(std::max<std::size_t>(waves.size(), 1)));
    for (std::size_t i = 0; i < std::min(scalesWithWaves, best.size()); ++i) {
        const CurveScales scales = models[order[i]].scales;
        std::vector<Eigen::VectorXd> misaligned;
        for (const std::int64_t alignment : alignments)
            misaligned.push_back(best[i].column({.alignment = alignment}, 3));
        for (const double wave : waves) {
            const Eigen::VectorXd column = best[i].column({.wave = wave}, 2);
            for (std::size_t a = 0; a < alignments.size(); ++a) {
                models.push_back({.shape = {.wave = wave, .alignment = alignments[a]},
                                  .scales = scales,
                                  .logWeight = best[i].logEvidence(column, misaligned[a]) + scales.logPrior +
                                               alignmentLogPrior(alignments[a]) + waveLogPrior});
            }
        }
    }
    return models;
}

} // namespace batchpeak::search
