// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/curve/noise_model.h"
#include "support/rows.h"
#include "support/test_main.h"

#include "search/random_source.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;

namespace {

Measurement trialOf(double seconds, double noise, int steps, std::uint64_t seed)
{
    RandomSource random(seed);
    Measurement trial{.size = 1, .outcome = batchpeak::trial::Outcome::Ok, .secondsPerStep = seconds};
    for (int step = 0; step < steps; ++step)
        trial.stepSeconds.push_back(seconds * (1.0 + noise * random.normal()));
    return trial;
}

double errorOfFirst(const std::vector<Measurement>& trials)
{
    return NoiseModel(trials).standardError(0);
}

} // namespace

class NoiseModelTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheScatterOnAverage_data()
    {
        const auto add = rows<int>();
        for (const int steps : {3, 4, 5, 8, 12, 24})
            add(std::to_string(steps) + " steps", steps);
    }
    void findsTheScatterOnAverage()
    {
        const int steps = row<int>();
        constexpr double noise = 0.02;
        constexpr int trials = 2000;
        double sum = 0.0;
        for (int trial = 0; trial < trials; ++trial)
            sum += estimateNoise(trialOf(0.3, noise, steps, static_cast<std::uint64_t>(trial))).scale;
        const double ratio = sum / trials / noise;
        QVERIFY2(ratio > 0.9 && ratio < 1.1, std::to_string(ratio).c_str());
    }

    void ignoresOneStall()
    {
        Measurement trial = trialOf(0.1, 0.01, 10, 1);
        trial.stepSeconds.back() = 5.0;
        QVERIFY(estimateNoise(trial).scale < 0.03);
    }

    void fallsBackToThePrior_data()
    {
        rows<Measurement>({
            {"two steps", trialOf(0.1, 0.01, 2, 1)},
            {"neither steps nor error", {.secondsPerStep = 0.1}},
            {"an error of two steps", {.secondsPerStep = 0.1, .steps = 2, .relativeError = 0.01}},
            {"an error that is NaN", {.secondsPerStep = 0.1, .steps = 9, .relativeError = std::nan("")}},
        });
    }
    void fallsBackToThePrior()
    {
        const Measurement& trial = row<Measurement>();
        QCOMPARE(estimateNoise(trial).degreesOfFreedom, 0.0);
        QCOMPARE(NoiseModel({trial}).pooledDeviation(0.1), 0.01);
    }

    void usesTheRelativeErrorWithoutSteps()
    {
        // The standard error of a location is the scale times sqrt(2 / steps), here sqrt(2 / 32).
        const NoiseEstimate noise =
            estimateNoise({.secondsPerStep = 1.0, .steps = 32, .relativeError = 0.005});
        QVERIFY(std::abs(noise.scale - 0.02) < 1e-12);
        QCOMPARE(noise.degreesOfFreedom, 15.5);
    }

    void poolsByTheFormula()
    {
        // Two trials of equal time with five steps each; the priors and weights are written out by hand.
        const std::vector trials{trialOf(0.1, 0.02, 5, 1), trialOf(0.1, 0.02, 5, 2)};
        const double first = estimateNoise(trials[0]).scale;
        const double second = estimateNoise(trials[1]).scale;
        const double pooled = (2.0 * 1e-4 + 2.0 * first * first + 2.0 * second * second) / (2.0 + 2.0 + 2.0);
        const double variance = (2.0 * first * first + 6.0 * pooled) / 8.0;
        const NoiseModel noise(trials);
        QVERIFY(std::abs(noise.pooledDeviation(0.1) - std::sqrt(pooled)) < 1e-12);
        QVERIFY(std::abs(noise.standardError(0) - std::sqrt(variance * 2.0 / 5.0)) < 1e-12);
        QVERIFY(std::abs(noise.standardErrorAt(0.1, 8.0) - 0.5 * std::sqrt(pooled)) < 1e-12);
    }

    void poolsTheNoiseOfSimilarTrials()
    {
        const double alone = errorOfFirst({trialOf(0.1, 0.0, 5, 1)});
        std::vector<Measurement> amongNoisy{trialOf(0.1, 0.0, 5, 1)};
        std::vector<Measurement> farFromNoisy = amongNoisy;
        for (std::uint64_t seed = 2; seed < 8; ++seed) {
            amongNoisy.push_back(trialOf(0.1, 0.05, 5, seed));
            farFromNoisy.push_back(trialOf(100.0, 0.05, 5, seed));
        }
        QVERIFY(errorOfFirst(amongNoisy) > 2.0 * alone);
        QVERIFY(errorOfFirst(farFromNoisy) < 1.2 * alone);
    }

    void isRobustToOneDisturbedTrial()
    {
        std::vector<Measurement> trials;
        for (std::uint64_t seed = 1; seed < 6; ++seed)
            trials.push_back(trialOf(0.1, 0.005, 9, seed));
        const double calm = errorOfFirst(trials);
        trials.push_back(trialOf(0.1, 0.5, 9, 7));
        QVERIFY(errorOfFirst(trials) < 2.0 * calm);
    }

    void reducesTheErrorWithMoreSteps()
    {
        QVERIFY(errorOfFirst({trialOf(0.1, 0.01, 24, 1)}) < 0.8 * errorOfFirst({trialOf(0.1, 0.01, 5, 1)}));
    }

    void keepsSomeErrorForIdenticalSteps()
    {
        const double error = errorOfFirst({trialOf(0.1, 0.0, 24, 1)});
        QVERIFY(error > 1e-4 && error < 0.01);
    }
};

BATCHPEAK_TEST(NoiseModelTest)
#include "tst_noise_model.moc"
