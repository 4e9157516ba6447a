// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "search/strategy.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using engine::FinishStatus;
using test::ExplorationHarness;

/// The strategies that there are, each through a whole exploration on the fake worker.
class ExplorationStrategiesTest : public QObject
{
    Q_OBJECT

private slots:
    void everyStrategyReachesARecommendation_data()
    {
        rows<int, int>({{"posterior", {16, 17}},
                        {"ramp", {16, 17}},
                        {"binary", {17, 17}},
                        {"halving", {16, 16}},
                        {"predict", {16, 16}}});
    }
    void everyStrategyReachesARecommendation()
    {
        const auto& [least, most] = row<int, int>();
        // 17 samples fit, and throughput rises up to there.
        ExplorationHarness harness("slope=100000000");
        harness.parts.makeStrategy = search::makeStrategy;
        harness.options.strategy = QString::fromUtf8(QTest::currentDataTag());
        QVERIFY(harness.runToEnd());

        const engine::Snapshot& snapshot = harness.snapshot();
        QVERIFY2(snapshot.finish == FinishStatus::Confident || snapshot.finish == FinishStatus::Exhausted,
                 qPrintable(harness.log()));
        QVERIFY(snapshot.searchState.recommendation);
        const std::int64_t size = snapshot.searchState.recommendation->size;
        QVERIFY2(size >= least && size <= most, qPrintable(harness.trials()));
        QVERIFY(harness.isNoWorkerLeft());
    }
};

BATCHPEAK_TEST(ExplorationStrategiesTest)
#include "tst_exploration_strategies.moc"
