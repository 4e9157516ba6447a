// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "support/verify.h"
#include "trial/step_statistics.h"

#include <QTest>

#include <cmath>
#include <random>

using batchpeak::trial::RunScatter;

class RunScatterTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsZeroWithoutARepetition()
    {
        RunScatter scatter;
        QCOMPARE(scatter.relativeDeviation(), 0.0);
        scatter.add(1, 0.1);
        scatter.add(2, 0.3);
        QCOMPARE(scatter.relativeDeviation(), 0.0);
    }

    void poolsAllSizes()
    {
        constexpr double truth = 0.08;
        std::mt19937_64 random(2);
        std::normal_distribution<double> noise(0.0, truth);
        RunScatter scatter;
        for (int repetition = 0; repetition < 200; ++repetition) {
            for (const std::int64_t size : {1, 4, 16})
                scatter.add(size, 0.01 * static_cast<double>(size) * std::exp(noise(random)));
        }
        VERIFY_BELOW(std::abs(scatter.relativeDeviation() / truth - 1), 0.1);
    }

    void distrustsTwoEqualTrials()
    {
        RunScatter scatter;
        scatter.add(8, 0.2);
        scatter.add(8, 0.2);
        QVERIFY(scatter.relativeDeviation() > 0.005);
    }
};

BATCHPEAK_TEST(RunScatterTest)
#include "tst_run_scatter.moc"
