// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/strategies/trial_cost.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <vector>

using namespace batchpeak::search;

class TrialCostTest : public QObject
{
    Q_OBJECT

private slots:
    void takesFewStepsOfSlowSizes()
    {
        const TrialCost::Length quick = TrialCost::length(0.01, false);
        const TrialCost::Length slow = TrialCost::length(20.0, false);
        QCOMPARE(slow.minSteps, 3);
        QCOMPARE(slow.maxSteps, 3);
        QVERIFY(quick.minSteps > slow.minSteps && quick.maxSteps > quick.minSteps);
    }

    void takesMoreStepsForRepeats_data() { rows<double>({{"quick", 0.01}, {"slow", 20.0}}); }
    void takesMoreStepsForRepeats()
    {
        const double seconds = row<double>();
        const TrialCost::Length once = TrialCost::length(seconds, false);
        const TrialCost::Length repeat = TrialCost::length(seconds, true);
        QVERIFY(repeat.minSteps > once.minSteps && repeat.minSteps <= repeat.maxSteps);
    }

    void learnsTheSetUpTime()
    {
        TrialCost cost;
        const TrialCost::Length length = TrialCost::length(0.1, false);
        const double before = cost.predictedWallSeconds(0.1, length);
        // 5 timed steps, and 4.5 in the warm-up.
        cost.record({.size = 1,
                     .outcome = batchpeak::trial::Outcome::Ok,
                     .secondsPerStep = 0.1,
                     .stepSeconds = std::vector<double>(5, 0.1),
                     .wallSeconds = 9.5 * 0.1 + 4.0});
        QCOMPARE(cost.predictedWallSeconds(0.1, length), 9.5 * 0.1 + 4.0);
        QVERIFY(cost.predictedWallSeconds(0.1, length) > before);
    }

    void shortensTheWarmUpOfSlowSteps()
    {
        const TrialCost cost;
        const double setUp = cost.predictedWallSeconds(0.0, TrialCost::length(0.0, false));
        // 3 timed steps, and 2.5 in the warm-up.
        QCOMPARE(cost.predictedWallSeconds(4.0, TrialCost::length(4.0, false)), setUp + 5.5 * 4.0);
        // Shorter steps have the full warm-up: 3 timed steps, and 4.5 in the warm-up.
        QCOMPARE(cost.predictedWallSeconds(1.5, TrialCost::length(1.5, false)), setUp + 7.5 * 1.5);
    }

    void ignoresFailures()
    {
        TrialCost cost;
        const double before = cost.predictedWallSeconds(0.1, {});
        cost.record({.outcome = batchpeak::trial::Outcome::OutOfMemory, .wallSeconds = 100.0});
        QCOMPARE(cost.predictedWallSeconds(0.1, {}), before);
    }
};

BATCHPEAK_TEST(TrialCostTest)
#include "tst_trial_cost.moc"
