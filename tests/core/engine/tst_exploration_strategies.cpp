// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "search/strategy.h"
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
    void everyStrategyReachesARecommendation_data();
    void everyStrategyReachesARecommendation();
};

void ExplorationStrategiesTest::everyStrategyReachesARecommendation_data()
{
    QTest::addColumn<int>("least");
    QTest::addColumn<int>("most");
    QTest::newRow("posterior") << 16 << 17;
    QTest::newRow("ramp") << 16 << 17;
    QTest::newRow("binary") << 17 << 17;
    QTest::newRow("halving") << 16 << 16;
    QTest::newRow("predict") << 16 << 16;
}

void ExplorationStrategiesTest::everyStrategyReachesARecommendation()
{
    QFETCH(int, least);
    QFETCH(int, most);
    // 17 samples fit, and throughput rises up to there.
    ExplorationHarness harness({QStringLiteral("slope=100000000")});
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

BATCHPEAK_TEST(ExplorationStrategiesTest)
#include "tst_exploration_strategies.moc"
