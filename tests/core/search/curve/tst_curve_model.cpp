// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/curve/curve_model.h"
#include "support/rows.h"
#include "support/test_main.h"

#include "observations_of.h"

#include <Eigen/LU>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak::search;

namespace {

/// Returns the log density of the linearized trials, with the prior of the coefficients merged into one
/// covariance.
double logDensity(const Observations& trials, const CurveModel& model)
{
    const CoefficientPrior prior(trials, model.trend);
    Eigen::MatrixXd z(trials.count(), 4);
    for (Eigen::Index i = 0; i < trials.count(); ++i)
        z.row(i) = model.trend.features(trials.size[i]).transpose() / trials.medianSeconds[i];
    const Eigen::VectorXd logRatio = (trials.seconds.array() / trials.medianSeconds.array()).log();
    const Eigen::VectorXd residual = Eigen::VectorXd::Ones(trials.count()) + logRatio - z * prior.mean;
    const Eigen::MatrixXd covariance =
        trials.covariance(model.hyperparameters) +
        z * prior.deviation.array().square().matrix().asDiagonal() * z.transpose();
    return -0.5 * std::log(covariance.determinant()) - 0.5 * residual.dot(covariance.inverse() * residual);
}

/// Returns the same as a sum over a fine grid of the overhead and the work per sample, which are the only
/// coefficients if every size is a multiple of 8.
double logQuadrature(const Observations& trials, const CurveModel& model)
{
    constexpr int nodes = 1201;
    constexpr double reach = 6.0;
    const CoefficientPrior prior(trials, model.trend);
    const Eigen::MatrixXd covariance = trials.covariance(model.hyperparameters);
    const Eigen::MatrixXd precision = covariance.inverse();
    double sum = 0.0;
    for (int a = 0; a < nodes; ++a) {
        for (int b = 0; b < nodes; ++b) {
            const double etaA = reach * (2.0 * a / (nodes - 1) - 1.0);
            const double etaB = reach * (2.0 * b / (nodes - 1) - 1.0);
            const double alpha = prior.mean[0] + prior.deviation[0] * etaA;
            const double beta = prior.mean[1] + prior.deviation[1] * etaB;
            const Eigen::VectorXd residual =
                1.0 - (alpha + beta * trials.size.array()) / trials.seconds.array();
            sum += std::exp(-0.5 * (residual.dot(precision * residual) + etaA * etaA + etaB * etaB));
        }
    }
    return std::log(sum) - 0.5 * std::log(covariance.determinant());
}

constexpr double largestFit = 300.0;

double logPriorOf(const Trend& trend, const Observations& trials, double largest)
{
    double logPrior = 0.0;
    for (const CandidateTrend& aligned : alignedTrends(largest)) {
        if (aligned.trend.alignment == trend.alignment)
            logPrior += aligned.logPrior;
    }
    Trend steps = trend;
    steps.alignment = Trend{}.alignment;
    std::vector<CandidateTrend> stepped = waveTrends(trials, largest);
    const std::vector<CandidateTrend> cliffs = cliffTrends(trials, largest);
    stepped.insert(stepped.end(), cliffs.begin(), cliffs.end());
    for (const CandidateTrend& likely : stepped) {
        if (likely.trend == steps)
            return logPrior + likely.logPrior;
    }
    return logPrior;
}

} // namespace

class CurveModelTest : public QObject
{
    Q_OBJECT

private slots:
    void computesTheEvidenceAsAnIntegral_data()
    {
        rows<Points>({
            {"two points", {{8, 0.012}, {64, 0.071}}},
            {"three points", {{8, 0.012}, {16, 0.026}, {64, 0.071}}},
        });
    }
    void computesTheEvidenceAsAnIntegral()
    {
        Observations trials = observationsOf(row<Points>());
        const std::vector<CurveModel> models = weighCurveModels(trials, 100.0);
        // Weights and integrals differ by one unknown constant, so that two models are compared: those with
        // the stiffest and the loosest hyper-parameters.
        const CurveModel& stiff = models.front();
        const auto isLoose = [&](const CurveModel& model) {
            return model.trend == stiff.trend && model.hyperparameters.rough == 0.25 &&
                   model.hyperparameters.speed > stiff.hyperparameters.speed;
        };
        const CurveModel& loose = *std::ranges::find_if(models, isLoose);
        const double weights = (loose.logWeight - loose.hyperparameters.logPrior) -
                               (stiff.logWeight - stiff.hyperparameters.logPrior);
        const double integrals = logQuadrature(trials, loose) - logQuadrature(trials, stiff);
        QVERIFY2(std::abs(weights - integrals) < 0.01, std::to_string(weights - integrals).c_str());
    }

    /// Widely different times of one size are noise, not evidence of a trend near zero.
    void treatsScatteredRepeatsAsNoise()
    {
        Observations trials = observationsOf({{8, 0.06},
                                              {8, 0.08},
                                              {64, 0.11},
                                              {64, 0.15},
                                              {256, 0.3},
                                              {256, 0.41},
                                              {8, 0.061},
                                              {8, 0.079},
                                              {64, 0.112},
                                              {64, 0.149}});
        const std::vector<CurveModel> models = weighCurveModels(trials, largestFit);
        const CurveModel& best = *std::ranges::max_element(models, {}, &CurveModel::logWeight);
        const double noise = std::hypot(best.hyperparameters.speed, best.hyperparameters.trial);
        QVERIFY2(noise >= 0.025, std::to_string(noise).c_str());
    }

    void estimatesTheEffectOfDisturbances_data()
    {
        rows<std::vector<double>, bool>({
            {"nothing", {{1.0, 1.003, 0.998, 1.002, 1.001, 0.997}, false}},
            {"a different slowdown each", {{1.3, 1.02, 1.9, 1.1, 1.6, 1.0}, true}},
        });
    }
    void estimatesTheEffectOfDisturbances()
    {
        const auto& [slowdowns, doesHarm] = row<std::vector<double>, bool>();
        std::vector<Measurement> timed;
        for (std::size_t i = 0; i < slowdowns.size(); ++i) {
            const auto size = static_cast<std::int64_t>(1) << i;
            timed.push_back({.size = size,
                             .outcome = batchpeak::trial::Outcome::Ok,
                             .secondsPerStep = (0.01 + 0.001 * static_cast<double>(size)) * slowdowns[i],
                             .steps = 10,
                             .relativeError = 0.003,
                             .disturbed = true,
                             .clockSeconds = 5.0 * static_cast<double>(i + 1)});
        }
        Observations trials(timed);
        weighCurveModels(trials, 100.0);
        QVERIFY2((trials.disturbance >= 0.2) == doesHarm, std::to_string(trials.disturbance).c_str());
    }

    void weighsEveryModelByItsDensity()
    {
        Observations trials =
            observationsOf({{1, 0.005}, {8, 0.012}, {20, 0.031}, {32, 0.036}, {64, 0.071}, {64, 0.072}});
        const std::vector<CurveModel> models = weighCurveModels(trials, largestFit);
        const auto stiffest = models.front();
        for (const CurveModel& model : models) {
            const double density = logDensity(trials, model) - logDensity(trials, stiffest);
            const double weight = model.logWeight - model.hyperparameters.logPrior -
                                  (stiffest.logWeight - stiffest.hyperparameters.logPrior);
            const double expected = density + logPriorOf(model.trend, trials, largestFit);
            QVERIFY2(std::abs(weight - expected) < 1e-5, std::to_string(weight - expected).c_str());
        }
        QVERIFY(std::ranges::any_of(models, [](const CurveModel& m) { return m.trend.wave > 0.0; }));
        QVERIFY(std::ranges::any_of(models, [](const CurveModel& m) { return m.trend.riseAfter > 0.0; }));
        QVERIFY(std::ranges::any_of(models, [](const CurveModel& m) { return m.trend.dropAfter > 0.0; }));
    }
};

BATCHPEAK_TEST(CurveModelTest)
#include "tst_curve_model.moc"
