// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/curve/curve_model.h"
#include "support/test_main.h"

#include "curve_samples.h"

#include <Eigen/LU>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak::search;

using Points = std::vector<std::pair<std::int64_t, double>>;
Q_DECLARE_METATYPE(Points)

namespace {

/// ln of the density of the linearised trials, the prior of theta multiplied out into one covariance.
double logDensity(const CurveTrials& trials, const CurveModel& model)
{
    const ThetaPrior prior(trials, model.shape);
    Eigen::MatrixXd z(trials.count(), 4);
    for (Eigen::Index i = 0; i < trials.count(); ++i)
        z.row(i) = model.shape.features(trials.size[i]).transpose() / trials.seconds[i];
    const Eigen::VectorXd residual = Eigen::VectorXd::Ones(trials.count()) - z * prior.mean;
    const Eigen::MatrixXd covariance =
        trials.covariance(model.scales) +
        z * prior.deviation.array().square().matrix().asDiagonal() * z.transpose();
    return -0.5 * std::log(covariance.determinant()) - 0.5 * residual.dot(covariance.inverse() * residual);
}

/// The same by summing over a fine grid of the overhead and the work per sample, which are all of theta where
/// every size is a multiple of 8.
double logQuadrature(const CurveTrials& trials, const CurveModel& model)
{
    constexpr int nodes = 1201;
    constexpr double reach = 6.0;
    const ThetaPrior prior(trials, model.shape);
    const Eigen::MatrixXd covariance = trials.covariance(model.scales);
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

double logPriorOf(const CurveShape& shape, const CurveTrials& trials, double largest)
{
    double logPrior = 0.0;
    for (const LikelyShape& aligned : alignedShapes(largest)) {
        if (aligned.shape.alignment == shape.alignment)
            logPrior += aligned.logPrior;
    }
    CurveShape steps = shape;
    steps.alignment = CurveShape{}.alignment;
    std::vector<LikelyShape> stepped = wavedShapes(trials, largest);
    const std::vector<LikelyShape> cliffs = cliffShapes(trials, largest);
    stepped.insert(stepped.end(), cliffs.begin(), cliffs.end());
    for (const LikelyShape& likely : stepped) {
        if (likely.shape == steps)
            return logPrior + likely.logPrior;
    }
    return logPrior;
}

} // namespace

class CurveModelTest : public QObject
{
    Q_OBJECT

private slots:
    void evidenceIsTheIntegral_data()
    {
        QTest::addColumn<Points>("points");
        QTest::newRow("two points") << Points{{8, 0.012}, {64, 0.071}};
        QTest::newRow("three points") << Points{{8, 0.012}, {16, 0.026}, {64, 0.071}};
    }
    void evidenceIsTheIntegral()
    {
        QFETCH(Points, points);
        const CurveTrials trials = curveTrials(points);
        const std::vector<CurveModel> models = weighCurveModels(trials, 100.0);
        // Weights and integrals share one unknown constant; the stiffest and the loosest scales are compared.
        const CurveModel& stiff = models.front();
        const CurveModel& loose = models[1022];
        QCOMPARE(loose.scales.rough, 0.25);
        QCOMPARE(loose.shape, stiff.shape);
        const double weights =
            (loose.logWeight - loose.scales.logPrior) - (stiff.logWeight - stiff.scales.logPrior);
        const double integrals = logQuadrature(trials, loose) - logQuadrature(trials, stiff);
        QVERIFY2(std::abs(weights - integrals) < 0.01, std::to_string(weights - integrals).c_str());
    }

    void everyModelIsWeighedByItsDensity()
    {
        const CurveTrials trials =
            curveTrials({{1, 0.005}, {8, 0.012}, {20, 0.031}, {32, 0.036}, {64, 0.071}, {64, 0.072}});
        const std::vector<CurveModel> models = weighCurveModels(trials, largestFit);
        const auto stiffest = models.front();
        for (const CurveModel& model : models) {
            const double density = logDensity(trials, model) - logDensity(trials, stiffest);
            const double weight =
                model.logWeight - model.scales.logPrior - (stiffest.logWeight - stiffest.scales.logPrior);
            const double expected = density + logPriorOf(model.shape, trials, largestFit);
            QVERIFY2(std::abs(weight - expected) < 1e-5, std::to_string(weight - expected).c_str());
        }
        QVERIFY(std::ranges::any_of(models, [](const CurveModel& m) { return m.shape.wave > 0.0; }));
        QVERIFY(std::ranges::any_of(models, [](const CurveModel& m) { return m.shape.riseAfter > 0.0; }));
        QVERIFY(std::ranges::any_of(models, [](const CurveModel& m) { return m.shape.dropAfter > 0.0; }));
    }
};

BATCHPEAK_TEST(CurveModelTest)
#include "tst_curve_model.moc"
