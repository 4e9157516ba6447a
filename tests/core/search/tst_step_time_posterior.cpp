// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_time_posterior.h"

#include "random_source.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;

namespace {

using Trials = std::vector<TimedSize>;

constexpr Roughness smooth{.deviation = 0.004, .length = 0.35, .runDeviation = 0.0015};
constexpr Roughness rough{.deviation = 0.1, .length = 0.03, .runDeviation = 0.015};

/// ln of the density that the linearised model gives to the trials, by the whole covariance matrix: 1 =
/// features theta + deviation + noise.
double logDensity(const Trials& trials, const Roughness& roughness)
{
    double leastTime = HUGE_VAL;
    double leastPerSample = HUGE_VAL;
    for (const TimedSize& trial : trials) {
        leastTime = std::min(leastTime, trial.seconds);
        leastPerSample = std::min(leastPerSample, trial.seconds / trial.size);
    }
    const auto count = static_cast<Eigen::Index>(trials.size());
    Eigen::VectorXd residuals(count);
    Eigen::MatrixXd covariance(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const TimedSize& a = trials[static_cast<std::size_t>(i)];
        residuals(i) = 1.0 - (0.5 * leastTime + 0.55 * leastPerSample * a.size) / a.seconds;
        for (Eigen::Index j = 0; j < count; ++j) {
            const TimedSize& b = trials[static_cast<std::size_t>(j)];
            const double line =
                std::pow(1.5 * leastTime, 2) + std::pow(0.6 * leastPerSample, 2) * a.size * b.size;
            const double distance = std::abs(std::log(a.size) - std::log(b.size));
            covariance(i, j) = line / (a.seconds * b.seconds) +
                               std::pow(roughness.deviation, 2) * std::exp(-distance / roughness.length);
        }
        covariance(i, i) += std::pow(a.relativeError, 2) + std::pow(roughness.runDeviation, 2) + 1e-9;
    }
    return -0.5 * std::log(covariance.determinant()) -
           0.5 * residuals.dot(covariance.fullPivLu().solve(residuals));
}

double meanAt(const SamplePaths& paths, std::size_t column)
{
    double sum = 0.0;
    for (std::size_t path = 0; path < paths.count; ++path)
        sum += paths.path(path)[column];
    return sum / static_cast<double>(paths.count);
}

double deviationAt(const SamplePaths& paths, std::size_t column)
{
    const double mean = meanAt(paths, column);
    double squares = 0.0;
    for (std::size_t path = 0; path < paths.count; ++path)
        squares += std::pow(paths.path(path)[column] - mean, 2);
    return std::sqrt(squares / static_cast<double>(paths.count));
}

double covarianceAt(const StepTimeFit& fit, double logDistance)
{
    return fit.covariances(Eigen::ArrayXd::Constant(1, logDistance))(0);
}

TimedSize onLine(double size)
{
    return {.size = size, .seconds = 0.1 + 0.01 * size, .relativeError = 0.002};
}

} // namespace

class StepTimePosteriorTest : public QObject
{
    Q_OBJECT

private slots:
    void evidenceIsTheDensityOfTheTrials_data()
    {
        QTest::addColumn<Trials>("trials");
        QTest::newRow("one") << Trials{onLine(1)};
        QTest::newRow("two") << Trials{onLine(1), onLine(8)};
        QTest::newRow("three, one off the line")
            << Trials{onLine(1), onLine(8), {.size = 64, .seconds = 0.9, .relativeError = 0.004}};
        QTest::newRow("a size repeated") << Trials{onLine(4), onLine(4), onLine(32)};
    }
    void evidenceIsTheDensityOfTheTrials()
    {
        QFETCH(Trials, trials);
        for (const Roughness& roughness : {smooth, rough}) {
            const double expected = logDensity(trials, roughness);
            QVERIFY(std::abs(StepTimeFit(trials, roughness).logEvidence() - expected) < 1e-6);
        }
    }

    void oneResidualIsSharedWithItsNoise()
    {
        const StepTimeFit fit({onLine(8)}, rough);
        const double prior = std::pow(rough.deviation, 2);
        const double weight = fit.conditioningWeights(Eigen::VectorXd::Constant(1, 0.3))(0);
        const double expected = 0.3 / (prior + fit.noiseVariance(0) + 1e-9);
        QVERIFY(std::abs(weight - expected) < 1e-9 * expected);
        // A size one length away follows by a factor e less.
        QVERIFY(std::abs(covarianceAt(fit, rough.length) * std::exp(1.0) - prior) < 1e-12);
    }

    void twoResidualsAreSolvedTogether()
    {
        const StepTimeFit fit({onLine(8), onLine(9)}, rough);
        const double own = std::pow(rough.deviation, 2) + fit.noiseVariance(0) + 1e-9;
        const double shared = covarianceAt(fit, std::log(9.0 / 8.0));
        const Eigen::VectorXd weights = fit.conditioningWeights(Eigen::Vector2d{0.1, -0.2});
        const double determinant = own * own - shared * shared;
        QVERIFY(std::abs(weights(0) - (own * 0.1 + shared * 0.2) / determinant) < 1e-6);
        QVERIFY(std::abs(weights(1) - (-own * 0.2 - shared * 0.1) / determinant) < 1e-6);
    }

    void findsTheLine()
    {
        Trials trials;
        for (const double size : {1.0, 4.0, 16.0, 64.0, 256.0})
            trials.push_back(onLine(size));
        const Eigen::Vector2d line = StepTimeFit(trials, smooth).expectedLine();
        QVERIFY(std::abs(line(0) / 0.1 - 1.0) < 0.02);
        QVERIFY(std::abs(line(1) / 0.01 - 1.0) < 0.02);
    }

    void drawnLinesAreTimes()
    {
        RandomSource random(1);
        const StepTimeFit fit({{.size = 4, .seconds = 1.0, .relativeError = 0.01}}, rough);
        for (int draw = 0; draw < 1000; ++draw) {
            const Eigen::Vector2d line = fit.drawLine(random);
            QVERIFY(line.minCoeff() >= 0.0 && line.sum() > 0.0);
        }
    }

    void pathsMeetTheTrialsAndPartBetweenThem()
    {
        const Trials trials{onLine(1), onLine(4), onLine(16), onLine(64)};
        RandomSource random(1);
        const SamplePaths paths = StepTimePosterior(trials).draw({1, 4, 16, 32, 64, 1024}, 400, random);
        QCOMPARE(paths.count, std::size_t{400});
        for (const std::size_t column : {0U, 1U, 2U, 4U}) {
            const double expected = std::log(onLine(static_cast<double>(paths.sizes[column])).seconds);
            QVERIFY(std::abs(meanAt(paths, column) - expected) < 0.01);
            QVERIFY(deviationAt(paths, column) < 0.01);
        }
        QVERIFY(deviationAt(paths, 3) > deviationAt(paths, 2));
        QVERIFY(deviationAt(paths, 5) > deviationAt(paths, 3));
        QVERIFY(std::abs(meanAt(paths, 3) - std::log(onLine(32).seconds)) < 0.03);
    }

    void roughTrialsMakeRoughPaths()
    {
        Trials straight;
        Trials jagged;
        double sign = 1.0;
        for (double size = 8; size < 400; size *= 1.3) {
            straight.push_back(onLine(std::round(size)));
            jagged.push_back(straight.back());
            jagged.back().seconds *= 1.0 + 0.1 * sign;
            sign = -sign;
        }
        std::vector<std::int64_t> sizes;
        for (std::int64_t size = 8; size <= 400; ++size)
            sizes.push_back(size);
        RandomSource random(1);
        const std::size_t middle = 200;
        const SamplePaths calm = StepTimePosterior(straight).draw(sizes, 200, random);
        const SamplePaths wild = StepTimePosterior(jagged).draw(sizes, 200, random);
        QVERIFY(deviationAt(wild, middle) > 5.0 * deviationAt(calm, middle));
    }

    void equalTimesAreNoTrouble()
    {
        Trials trials;
        for (const double size : {1.0, 2.0, 4.0, 8.0})
            trials.push_back({.size = size, .seconds = 0.5, .relativeError = 0.0});
        RandomSource random(1);
        const SamplePaths paths = StepTimePosterior(trials).draw({1, 2, 4, 8}, 100, random);
        for (const double value : paths.logSeconds)
            QVERIFY(std::isfinite(value));
    }
};

QTEST_APPLESS_MAIN(StepTimePosteriorTest)
#include "tst_step_time_posterior.moc"
