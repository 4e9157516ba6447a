// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/curve/observations.h"
#include "search/random_source.h"
#include "support/rows.h"
#include "support/test_main.h"

#include "observations_of.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;

namespace {

constexpr double speedTime = speedTimes[0];

/// Returns a trial whose timed steps took \p seconds in total and ended at \p end [s].
Measurement trialAt(double end, double seconds, std::int64_t size = 8)
{
    return {.size = size,
            .outcome = batchpeak::trial::Outcome::Ok,
            .secondsPerStep = seconds / 10.0,
            .steps = 10,
            .relativeError = 0.006,
            .clockSeconds = end};
}

/// Returns one size of a comparison, with visits that begin at \p begins, take one second each and consist of
/// three steps of \p stepSeconds.
Measurement visitedAt(const std::vector<double>& begins, const std::vector<double>& stepSeconds,
                      std::int64_t size = 8)
{
    Measurement trial{.size = size,
                      .outcome = batchpeak::trial::Outcome::Ok,
                      .secondsPerStep = stepSeconds.front(),
                      .clockSeconds = 100.0};
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const double seconds = stepSeconds[i % stepSeconds.size()];
        trial.visits.push_back(
            {.clockSeconds = begins[i], .seconds = 1.0, .stepSeconds = {seconds, seconds, seconds}});
        trial.stepSeconds.insert(trial.stepSeconds.end(), 3, seconds);
    }
    return trial;
}

/// Returns the mean of exp(-|t - u| / time) over two time slices, by numerical integration.
double meanCorrelation(double beginA, double lengthA, double beginB, double lengthB, double time)
{
    constexpr int parts = 400;
    double sum = 0.0;
    for (int i = 0; i < parts; ++i) {
        for (int j = 0; j < parts; ++j) {
            const double t = beginA + (i + 0.5) / parts * lengthA;
            const double u = beginB + (j + 0.5) / parts * lengthB;
            sum += std::exp(-std::abs(t - u) / time);
        }
    }
    return sum / (parts * parts);
}

struct Slices
{
    double endA;
    double secondsA;
    double endB;
    double secondsB;
};

double speedCovariance(const Observations& trials, Eigen::Index i, Eigen::Index j)
{
    const Hyperparameters with{.speed = 1.0, .speedTime = speedTime};
    const Hyperparameters without{.speed = 0.0, .speedTime = speedTime};
    return trials.covariance(with)(i, j) - trials.covariance(without)(i, j);
}

} // namespace

class ObservationsTest : public QObject
{
    Q_OBJECT

private slots:
    void correlatesTheSpeedOfCloseTimes_data()
    {
        rows<Slices>({
            {"one after the other", {2.0, 2.0, 5.0, 3.0}},
            {"far apart", {2.0, 1.0, 40.0, 1.0}},
            {"in the wrong order", {40.0, 10.0, 2.0, 1.0}},
            {"moments", {2.0, 1e-6, 3.0, 1e-6}},
        });
    }
    void correlatesTheSpeedOfCloseTimes()
    {
        const auto& [endA, secondsA, endB, secondsB] = row<Slices>();
        const Observations trials({trialAt(endA, secondsA), trialAt(endB, secondsB)});
        const double expected =
            meanCorrelation(endA - secondsA, secondsA, endB - secondsB, secondsB, speedTime);
        QVERIFY2(std::abs(speedCovariance(trials, 0, 1) - expected) < 1e-3, std::to_string(expected).c_str());
        const double itself =
            meanCorrelation(endA - secondsA, secondsA, endA - secondsA, secondsA, speedTime);
        QVERIFY2(std::abs(speedCovariance(trials, 0, 0) - itself) < 1e-3, std::to_string(itself).c_str());
    }

    /// In mirrored order, a slow change of the speed is nearly the same for both sizes.
    void mirroredVisitsShareTheSpeed()
    {
        const Observations mirrored(
            {visitedAt({0.0, 3.0, 4.0, 7.0}, {0.1}, 8), visitedAt({1.0, 2.0, 5.0, 6.0}, {0.1}, 9)});
        const Observations apart({trialAt(1.0, 1.0, 8), trialAt(5.0, 1.0, 9)});
        const auto ofDifference = [](const Observations& trials) {
            return speedCovariance(trials, 0, 0) + speedCovariance(trials, 1, 1) -
                   2.0 * speedCovariance(trials, 0, 1);
        };
        const double ratio = ofDifference(mirrored) / ofDifference(apart);
        QVERIFY2(ratio < 0.1, std::to_string(ratio).c_str());
    }

    void drawsTheSpeedWithItsCovariance()
    {
        const Observations trials(
            {trialAt(50.0, 2.0), trialAt(1.0, 1.0), trialAt(20.0, 1.0), trialAt(22.0, 1.0)});
        RandomSource random(3);
        Eigen::Matrix4d covariance = Eigen::Matrix4d::Zero();
        constexpr int draws = 20000;
        for (int draw = 0; draw < draws; ++draw) {
            const Eigen::VectorXd speed = trials.drawSpeed(speedTime, random);
            covariance += speed * speed.transpose() / draws;
        }
        for (Eigen::Index i = 0; i < 4; ++i) {
            for (Eigen::Index j = 0; j < 4; ++j)
                QVERIFY(std::abs(covariance(i, j) - speedCovariance(trials, i, j)) < 0.04);
        }
    }

    void dividesTheNoiseOfATrialByItsVisits()
    {
        const Observations trials({trialAt(1.0, 1.0), visitedAt({2.0, 4.0, 6.0, 8.0}, {0.1})});
        const auto ofTrial = [&](Eigen::Index row) {
            const double with = trials.noiseDeviation(row, {.trial = 0.02});
            const double without = trials.noiseDeviation(row, {.trial = 0.0});
            return with * with - without * without;
        };
        QVERIFY(std::abs(ofTrial(0) - 4e-4) < 1e-9);
        QVERIFY(std::abs(ofTrial(1) - 1e-4) < 1e-9);
    }

    void infersTheNoiseFromVisits_data()
    {
        rows<std::vector<double>, bool>({
            {"as calm as their steps", {{0.1, 0.1002, 0.0999, 0.1001}, false}},
            {"2 % apart", {{0.1, 0.102, 0.0985, 0.103}, true}},
        });
    }
    void infersTheNoiseFromVisits()
    {
        const auto& [seconds, isNoisy] = row<std::vector<double>, bool>();
        const Observations trials(
            {visitedAt({0.0, 3.0, 4.0, 7.0}, seconds, 8), visitedAt({1.0, 2.0, 5.0, 6.0}, seconds, 9)});
        const double quiet = trials.logEvidenceOfVisits({.speed = 0.002, .trial = 0.0015});
        const double noisy = trials.logEvidenceOfVisits({.speed = 0.002, .trial = 0.025});
        QCOMPARE(noisy > quiet, isNoisy);
        QCOMPARE(observationsOf({{8, 0.1}, {9, 0.1}}).logEvidenceOfVisits({.trial = 0.025}), 0.0);
    }

    void downweightsContradictedTrials()
    {
        std::vector<Measurement> timed;
        for (int i = 0; i < 8; ++i)
            timed.push_back(trialAt(10.0 * i, i == 3 ? 1.5 : 1.0));
        Observations trials(timed);
        const Eigen::MatrixXd columns = trials.size.cwiseQuotient(trials.seconds) * 0.01;
        const Eigen::VectorXd residual = trials.seconds.array().log() - std::log(trials.seconds.minCoeff());
        trials.weighTails({.smooth = 0.003, .speed = 0.002, .trial = 0.005}, columns, residual);
        for (Eigen::Index i = 0; i < trials.count(); ++i)
            QCOMPARE(trials.weight[i] < 0.1, i == 3);
    }

    void allowsForNoticedDisturbances()
    {
        std::vector<Measurement> timed{trialAt(0.0, 1.0), trialAt(10.0, 1.5), trialAt(20.0, 1.02)};
        timed[1].disturbed = true;
        Observations trials(timed);
        QCOMPARE(trials.medianSeconds[1], 0.102);
        const Hyperparameters scales{.trial = 0.01};
        const double calm = trials.noiseDeviation(0, scales);
        const double without = trials.noiseDeviation(1, scales);
        trials.disturbance = 0.2;
        QCOMPARE(trials.noiseDeviation(1, scales), std::hypot(without, 0.2));
        QCOMPARE(trials.noiseDeviation(0, scales), calm);
        QVERIFY(trials.covariance(scales)(1, 1) > trials.covariance(scales)(0, 0) + 0.039);
    }
};

BATCHPEAK_TEST(ObservationsTest)
#include "tst_observations.moc"
