// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "search/strategy.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <algorithm>

using namespace batchpeak;
using engine::FinishStatus;
using test::ExplorationHarness;

/// Tests every existing strategy through a whole exploration on the fake worker.
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
        const auto& [min, max] = row<int, int>();
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
        QVERIFY2(size >= min && size <= max, qPrintable(harness.trials()));
        QVERIFY(harness.isNoWorkerLeft());
    }

    void continuesAboveASizeThatDoesNotRun_data()
    {
        rows<Text, Text>({{"fails", {"trial=failed@1", "1 failed, 1 failed, 2 ok"}},
                          {"is not supported", {"trial=unsupported@1", "1 unsupported, 2 ok"}},
                          {"ends its worker", {"trial=exit@1", "1 crashed, 1 crashed, 2 ok"}}});
    }
    void continuesAboveASizeThatDoesNotRun()
    {
        const auto& [words, trials] = row<Text, Text>();
        ExplorationHarness harness(words + QStringLiteral(" slope=100000000"));
        harness.parts.makeStrategy = search::makeStrategy;
        QVERIFY(harness.runToEnd());
        VERIFY_STARTS_WITH(harness.trials(), trials);
        QCOMPARE(harness.log().count(QStringLiteral("A micro-batch of 1 does not run")), 1);
        QVERIFY(harness.snapshot().searchState.recommendation->size >= 16);
    }

    // A kernel may fail from some size on, with an illegal access or an assertion on the device.
    void continuesBelowASizeThatBreaksDown_data()
    {
        rows<Text, Text>({{"the device is lost", {"exit42", "only a fresh process clears"}},
                          {"the worker ends", {"abort", "ended by signal 6"}}});
    }
    void continuesBelowASizeThatBreaksDown()
    {
        const auto& [fault, said] = row<Text, Text>();
        ExplorationHarness harness(QStringLiteral("slope=10000000 trial=%1@40+").arg(fault));
        harness.parts.makeStrategy = search::makeStrategy;
        QVERIFY(harness.runToEnd());
        const engine::Snapshot& snapshot = harness.snapshot();
        QVERIFY2(snapshot.finish == FinishStatus::Confident || snapshot.finish == FinishStatus::Exhausted,
                 qPrintable(harness.log()));
        QVERIFY2(snapshot.searchState.recommendation->size >= 30 &&
                     snapshot.searchState.recommendation->size < 40,
                 qPrintable(harness.trials()));
        VERIFY_CONTAINS(harness.log(), said);
        VERIFY_CONTAINS(harness.log(), "broke down twice");
        const auto broken =
            std::ranges::count(snapshot.trials, trial::Outcome::Crashed, &trial::TrialRecord::outcome);
        QVERIFY2(broken >= 2 && broken <= 12, qPrintable(harness.trials()));
        // Neither a trial nor the recommendation blames the memory.
        for (const trial::TrialRecord& trial : snapshot.trials)
            QVERIFY(trial.outcome != trial::Outcome::OutOfMemory);
        QVERIFY(snapshot.searchState.recommendation->reason.kind != search::Reason::Kind::MemoryEnds);
        QCOMPARE(snapshot.devices.front().restarts, static_cast<int>(broken));
        QVERIFY(harness.isNoWorkerLeft());
    }

    void reportsThatNoSizeThatRunsFits()
    {
        ExplorationHarness harness("trial=unsupported@1 slope=1000000000");
        harness.parts.makeStrategy = search::makeStrategy;
        QVERIFY(harness.endsAs(FinishStatus::NothingFits));
        QCOMPARE(harness.trials(), QStringLiteral("1 unsupported, 2 oom"));
        VERIFY_STARTS_WITH(harness.snapshot().failure, "1 does not run, and 2 does not fit.");
    }
};

BATCHPEAK_TEST(ExplorationStrategiesTest)
#include "tst_exploration_strategies.moc"
