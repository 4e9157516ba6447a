// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/event_spy.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "text/errors.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;

/// Tests explorations that are continued after their end.
class ExplorationGoingOnTest : public QObject
{
    Q_OBJECT

private slots:
    void continuesFromAllTrials()
    {
        engine::PlannerCall last;
        ExplorationHarness harness("", {1, 2});
        harness.more = {4, 8};
        connect(&harness.exploration(), &engine::Exploration::searchTold, &harness,
                [&last](const engine::PlannerCall& call) { last = call; });
        QVERIFY(harness.endsAs(FinishStatus::Exhausted));
        QVERIFY(harness.snapshot().canContinue);
        QCOMPARE(harness.snapshot().ending, QStringLiteral("No size left that is worth a trial."));
        const double elapsed = harness.snapshot().elapsedSeconds;
        QElapsedTimer pause;
        pause.start();
        QVERIFY(ExplorationHarness("", {1}).runToEnd());
        const double pauseSeconds = 1e-9 * static_cast<double>(pause.nsecsElapsed());

        harness.exploration().continueSearch({.trials = 2});
        QCOMPARE(harness.snapshot().state, State::Starting);
        QVERIFY(!harness.snapshot().finish && !harness.snapshot().canContinue);
        QVERIFY(harness.snapshot().ending.isEmpty());
        QVERIFY(harness.snapshot().elapsedSeconds >= elapsed);
        TRY_COMPARE(harness.finishedSignals(), 2);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok, 8 ok"));
        QCOMPARE(harness.snapshot().trials.back().number, 4);
        QCOMPARE(harness.snapshot().searchState.recommendation->size, 8);
        QVERIFY(harness.snapshot().finish == FinishStatus::Exhausted);
        QVERIFY(!harness.snapshot().canContinue);
        // The pause counts only on the clock of the search, because the device may have changed meanwhile.
        QVERIFY(last.clockSeconds - last.elapsedSeconds >= pauseSeconds);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void verifiesANewResult()
    {
        ExplorationHarness harness("", {1, 2});
        harness.options.verify = true;
        // 4 follows, because 8 needs no verification if it is the newest trial and the first of its process.
        harness.more = {8, 4};
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.snapshot().verification->size, 2);
        QVERIFY(harness.continuesToEnd());
        QVERIFY(harness.snapshot().verification);
        QCOMPARE(harness.snapshot().verification->size, 8);
        QVERIFY(harness.snapshot().verification->outcome == engine::Verification::Outcome::Confirmed);
    }

    void continuesAfterAStopDuringATrial()
    {
        ExplorationHarness harness("trial=hang@2 once", {1, 2, 4});
        harness.more = {8};
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 2 running"));
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.snapshot().canContinue);
        QVERIFY(harness.continuesToEnd());
        QVERIFY2(harness.trials().startsWith(QStringLiteral("1 ok, 2 cancelled, 4 ok")),
                 qPrintable(harness.trials()));
    }

    void endsAtItsOwnTimeBudget()
    {
        ExplorationHarness harness("trial=hang@4", {1, 2});
        harness.more = {4};
        QVERIFY(harness.runToEnd());
        QVERIFY(harness.continuesToEnd({.trials = 5, .time = 1s}));
        QVERIFY(harness.snapshot().finish == FinishStatus::Budget);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 cancelled"));
    }

    void keepsItsResultIfNoWorkerStarts()
    {
        ExplorationHarness harness("start=exit starts after=1", {1, 2});
        harness.more = {4};
        QVERIFY(harness.runToEnd());
        QVERIFY(harness.continuesToEnd());
        QCOMPARE(harness.snapshot().state, State::Finished);
        QVERIFY(harness.snapshot().finish == FinishStatus::Exhausted);
        QCOMPARE(harness.snapshot().searchState.recommendation->size, 2);
        VERIFY_CONTAINS(harness.snapshot().failure, "The workers keep exiting");
        QVERIFY(harness.snapshot().canContinue);
    }

    void refusesAProgramThatCannotCompareAnyMore()
    {
        ExplorationHarness harness("protocol=older starts after=1", {1, 2});
        harness.more = {4};
        QVERIFY(harness.runToEnd());
        QVERIFY(harness.continuesToEnd());
        VERIFY_CONTAINS(harness.snapshot().failure, "older than the one that ran them before");
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok"));
        QVERIFY(harness.isNoWorkerLeft());
    }

    void doesNothingIfItCannotContinue_data()
    {
        rows<Text, bool>({{"before the start", {"", false}}, {"nothing fits", {"slope=1900000000", true}}});
    }
    void doesNothingIfItCannotContinue()
    {
        const auto& [words, runs] = row<Text, bool>();
        ExplorationHarness harness(words);
        harness.more = {8};
        if (runs)
            QVERIFY(harness.runToEnd());
        const State before = harness.snapshot().state;
        QVERIFY(!harness.snapshot().canContinue);
        harness.exploration().continueSearch({});
        QCOMPARE(harness.snapshot().state, before);
    }

    void refusesToContinueWhileDevicesAreInUse()
    {
        ExplorationHarness harness("", {1, 2});
        harness.more = {4};
        QVERIFY(harness.runToEnd());
        const auto other = harness.parts.lease->take(engine::DeviceLease::Holder::Exploration);
        QVERIFY_EXCEPTION_THROWN(harness.exploration().continueSearch({}), engine::DeviceInUse);
        QCOMPARE(harness.snapshot().state, State::Finished);
        QVERIFY(harness.snapshot().canContinue);
    }

    // The default search continues past its own end, for as many trials as it is given.
    void continuesTheDefaultSearch_data()
    {
        rows<double>({{"until it is sure", 0.5}, {"until it is never sure", 1.0}});
    }
    void continuesTheDefaultSearch()
    {
        ExplorationHarness harness("alpha=0.2");
        harness.parts.makeStrategy = search::makeStrategy;
        harness.options.maximum = 64;
        harness.options.targetConfidence = row<double>();
        harness.options.maxTrials = 8;
        QVERIFY(harness.runToEnd());
        const std::size_t before = harness.snapshot().trials.size();
        QVERIFY(harness.snapshot().canContinue);
        QVERIFY(harness.continuesToEnd({.trials = 4}));
        QCOMPARE(harness.snapshot().trials.size(), before + 4);
        QVERIFY(harness.snapshot().finish == FinishStatus::Budget ||
                harness.snapshot().finish == FinishStatus::Confident);
    }
};

BATCHPEAK_TEST(ExplorationGoingOnTest)
#include "tst_exploration_going_on.moc"
