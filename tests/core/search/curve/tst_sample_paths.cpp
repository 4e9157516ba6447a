// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/curve/sample_paths.h"
#include "support/rows.h"
#include "support/test_main.h"

#include "observations_of.h"
#include "search/random_source.h"

#include <Eigen/LU>
#include <QTest>

#include <cmath>

using namespace batchpeak::search;

namespace {

constexpr int pathCount = 8000;
const std::vector<std::int64_t> sizes{1, 8, 9, 30, 64, 200};

} // namespace

class SamplePathsTest : public QObject
{
    Q_OBJECT

private slots:
    /// Given the coefficients of a path, the curve is normally distributed with a known mean and covariance.
    void drawsFromTheExactConditional_data()
    {
        rows<Points>({
            {"one point", {{8, 0.012}}},
            {"two points", {{8, 0.012}, {64, 0.071}}},
            {"three points, one repeated", {{8, 0.012}, {64, 0.071}, {64, 0.075}}},
            {"three points, a cliff", {{1, 0.005}, {8, 0.012}, {9, 0.019}}},
        });
    }
    void drawsFromTheExactConditional()
    {
        const Observations trials = observationsOf(row<Points>());
        const CurveModel model{.hyperparameters = {.smooth = 0.04,
                                                   .rough = 0.035,
                                                   .roughLength = 0.06,
                                                   .speed = 0.012,
                                                   .speedTime = 7.0,
                                                   .trial = 0.005}};
        RandomSource random(5);
        const SamplePaths paths = drawSamplePaths(trials, {model}, sizes, pathCount, random);

        Eigen::VectorXd logSizes(static_cast<Eigen::Index>(sizes.size()));
        for (Eigen::Index i = 0; i < logSizes.size(); ++i)
            logSizes[i] = std::log(static_cast<double>(sizes[static_cast<std::size_t>(i)]));
        const auto priorCovariance = [](double distance) {
            return std::pow(0.04, 2) * smoothCorrelation(distance) +
                   std::pow(0.035, 2) * roughCorrelation(distance, 0.06);
        };
        Eigen::MatrixXd toTrials(logSizes.size(), trials.count());
        Eigen::MatrixXd within(logSizes.size(), logSizes.size());
        for (Eigen::Index i = 0; i < logSizes.size(); ++i) {
            for (Eigen::Index j = 0; j < trials.count(); ++j)
                toTrials(i, j) = priorCovariance(std::abs(logSizes[i] - trials.logSize[j]));
            for (Eigen::Index j = 0; j < logSizes.size(); ++j)
                within(i, j) = priorCovariance(std::abs(logSizes[i] - logSizes[j]));
        }
        const Eigen::MatrixXd gain = toTrials * trials.covariance(model.hyperparameters).inverse();
        const Eigen::MatrixXd expected = within - gain * toTrials.transpose();

        Eigen::MatrixXd off(logSizes.size(), pathCount);
        for (int path = 0; path < pathCount; ++path) {
            const Eigen::Vector4d coefficients = paths.coefficients.col(path);
            QVERIFY(coefficients.minCoeff() >= 0.0);
            Eigen::VectorXd atTrials(trials.count());
            for (Eigen::Index i = 0; i < trials.count(); ++i)
                atTrials[i] = std::log(trials.seconds[i]) -
                              std::log(model.trend.features(trials.size[i]).dot(coefficients));
            const Eigen::VectorXd moved = gain * atTrials;
            for (Eigen::Index i = 0; i < logSizes.size(); ++i) {
                const double size = static_cast<double>(sizes[static_cast<std::size_t>(i)]);
                off(i, path) = paths.logSeconds(i, path) -
                               std::log(model.trend.features(size).dot(coefficients)) - moved[i];
            }
        }
        const Eigen::VectorXd mean = off.rowwise().mean();
        const Eigen::MatrixXd covariance = off * off.transpose() / pathCount;
        for (Eigen::Index i = 0; i < logSizes.size(); ++i) {
            QVERIFY(std::abs(mean[i]) < 5.0 * std::sqrt(expected(i, i) / pathCount));
            for (Eigen::Index j = 0; j < logSizes.size(); ++j) {
                const double deviation = std::sqrt(2.0 * expected(i, i) * expected(j, j) / pathCount);
                QVERIFY(std::abs(covariance(i, j) - expected(i, j)) < 5.0 * deviation);
            }
        }
    }

    /// If the trials contain almost no information, a draw may have neither overhead nor work per sample; and
    /// a cliff alone takes no time on one of its sides.
    void drawsOnlyPathsThatTakeTime_data()
    {
        rows<Trend>({{"rises", {.riseAfter = 9.0}}, {"drops", {.dropAfter = 9.0}}});
    }
    void drawsOnlyPathsThatTakeTime()
    {
        const Observations trials = observationsOf({{8, 0.012}, {64, 0.071}});
        const CurveModel model{
            .trend = row<Trend>(),
            .hyperparameters = {.smooth = 0.003, .rough = 0.001, .roughLength = 0.06, .trial = 3.0}};
        RandomSource random(5);
        const SamplePaths paths = drawSamplePaths(trials, {model}, sizes, pathCount, random);
        QVERIFY(paths.logSeconds.allFinite());
    }
};

BATCHPEAK_TEST(SamplePathsTest)
#include "tst_sample_paths.moc"
