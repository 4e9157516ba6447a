// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_noise.h"

#include "random_source.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;

namespace {

Measurement trialOf(double seconds, double noise, int steps, std::uint64_t seed)
{
    RandomSource random(seed);
    Measurement trial{.size = 1, .outcome = Measurement::Outcome::Ok, .secondsPerStep = seconds};
    for (int step = 0; step < steps; ++step)
        trial.stepSeconds.push_back(seconds * (1.0 + noise * random.normal()));
    return trial;
}

} // namespace

class StepNoiseTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheScatterOnAverage_data()
    {
        QTest::addColumn<int>("steps");
        for (const int steps : {3, 4, 5, 8, 12, 24})
            QTest::addRow("%d steps", steps) << steps;
    }
    void findsTheScatterOnAverage()
    {
        QFETCH(int, steps);
        constexpr double noise = 0.02;
        constexpr int trials = 2000;
        double sum = 0.0;
        for (int trial = 0; trial < trials; ++trial)
            sum += stepScatter(trialOf(0.3, noise, steps, static_cast<std::uint64_t>(trial))).deviation;
        const double ratio = sum / trials / noise;
        QVERIFY2(ratio > 0.9 && ratio < 1.1, std::to_string(ratio).c_str());
    }

    void oneStallDoesNotMoveIt()
    {
        Measurement trial = trialOf(0.1, 0.01, 10, 1);
        trial.stepSeconds.back() = 5.0;
        QVERIFY(stepScatter(trial).deviation < 0.03);
    }

    void twoStepsTellNothing() { QCOMPARE(stepScatter(trialOf(0.1, 0.01, 2, 1)).degreesOfFreedom, 0.0); }

    void relativeErrorStandsInForSteps()
    {
        Measurement quiet{.secondsPerStep = 1.0, .relativeError = 0.001};
        Measurement loud{.secondsPerStep = 1.0, .relativeError = 0.05};
        QVERIFY(pooledErrors({loud}).front() > 3.0 * pooledErrors({quiet}).front());
    }

    void trialsLendEachOtherTheirNoise()
    {
        const double alone = pooledErrors({trialOf(0.1, 0.0, 5, 1)}).front();
        std::vector<Measurement> amongNoisy{trialOf(0.1, 0.0, 5, 1)};
        std::vector<Measurement> farFromNoisy = amongNoisy;
        for (std::uint64_t seed = 2; seed < 8; ++seed) {
            amongNoisy.push_back(trialOf(0.1, 0.05, 5, seed));
            farFromNoisy.push_back(trialOf(100.0, 0.05, 5, seed));
        }
        QVERIFY(pooledErrors(amongNoisy).front() > 2.0 * alone);
        QVERIFY(pooledErrors(farFromNoisy).front() < 1.2 * alone);
    }

    void moreStepsAreSurer()
    {
        const double few = pooledErrors({trialOf(0.1, 0.02, 5, 1)}).front();
        const double many = pooledErrors({trialOf(0.1, 0.02, 24, 1)}).front();
        QVERIFY(many < 0.8 * few);
    }

    void identicalStepsLeaveSomeDoubt()
    {
        const double error = pooledErrors({trialOf(0.1, 0.0, 24, 1)}).front();
        QVERIFY(error > 1e-4 && error < 0.01);
    }
};

QTEST_APPLESS_MAIN(StepNoiseTest)
#include "tst_step_noise.moc"
