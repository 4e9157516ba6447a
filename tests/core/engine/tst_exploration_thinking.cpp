// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "search_gate.h"
#include "support/event_spy.h"
#include "support/fake_parts.h"
#include "support/no_threads.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <thread>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;
using test::SearchGate;

namespace {

/// An exploration whose search thinks for as long as the gate blocks it.
struct Slow
{
    explicit Slow(const Text& words = {}, std::vector<std::int64_t> sizes = {1, 2, 4})
        : harness(words, std::move(sizes))
    {
        harness.parts.makeStrategy = gate.around(harness.parts.makeStrategy);
    }

    /// Blocks the search in its first call of this kind after the first trial.
    void thinkIn(SearchGate::Call call)
    {
        if (call == SearchGate::Call::Record)
            return gate.hold(call);
        engine::onEvent<engine::TrialFinished>(exploration(), &harness, [this, call](const auto& finished) {
            if (finished.trial.number == 1)
                gate.hold(call);
        });
    }

    void killWorker(std::size_t device)
    {
        test::sendSignal(snapshot().devices.at(device).workerPid, SIGKILL);
    }

    engine::Exploration& exploration() { return harness.exploration(); }
    const engine::Snapshot& snapshot() { return harness.snapshot(); }

    ExplorationHarness harness;
    /// Destroyed first, so that it is open before the harness ends the search.
    SearchGate gate;
};

} // namespace

/// Tests an exploration while its search thinks, which must not block any frame of the window.
class ExplorationThinkingTest : public QObject
{
    Q_OBJECT

private slots:
    void showsATrialsEndImmediately()
    {
        Slow slow;
        const test::EventSpy<engine::TrialFinished> ended(slow.exploration());
        const test::EventSpy<engine::RecommendationChanged> recommended(slow.exploration());
        slow.gate.hold(SearchGate::Call::Record);
        slow.exploration().start();
        TRY_VERIFY(slow.gate.isHolding());
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok"));
        QCOMPARE(ended.count(), 1);
        QCOMPARE(recommended.count(), 0);
        QVERIFY(slow.snapshot().thinkingSeconds);

        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
        QCOMPARE(slow.harness.told.size(), 3U);
        QVERIFY(!slow.snapshot().thinkingSeconds);
    }

    void thinksWithoutAThread()
    {
        const test::NoThreads none;
        ExplorationHarness harness("trial=exit@2 once");
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 crashed, 2 ok, 4 ok"));
        // One notice is for the search, and one for reading the devices.
        QCOMPARE(harness.log().count(QStringLiteral("gives this program no more threads")), 2);
    }

    void reportsThatItChooses()
    {
        Slow slow;
        slow.gate.hold(SearchGate::Call::Record);
        slow.exploration().start();
        TRY_VERIFY(slow.gate.isHolding());
        TRY_VERIFY(slow.snapshot().isChoosing());
        QVERIFY(slow.snapshot().currentTrials().empty());
        QCOMPARE(slow.snapshot().stalledSeconds, 0.0);
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
    }

    void stopDoesNotWait()
    {
        Slow slow;
        QStringList events;
        engine::onEvent<engine::RecommendationChanged>(
            slow.exploration(), &slow.harness, [&](const auto&) { events.append(QStringLiteral("size")); });
        engine::onEvent<engine::Finished>(slow.exploration(), &slow.harness,
                                          [&](const auto&) { events.append(QStringLiteral("end")); });
        slow.gate.hold(SearchGate::Call::Record);
        slow.exploration().start();
        TRY_VERIFY(slow.gate.isHolding());
        slow.exploration().stop();
        QCOMPARE(slow.snapshot().state, State::Finishing);
        TRY_VERIFY(slow.harness.isNoWorkerLeft());
        QCOMPARE(slow.harness.finishedSignals(), 0);

        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
        QVERIFY(slow.snapshot().finish == FinishStatus::Cancelled);
        QCOMPARE(slow.snapshot().searchState.recommendation->size, 1);
        QCOMPARE(events, QStringList({QStringLiteral("size"), QStringLiteral("end")}));
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok"));
    }

    void judgesTheEndByTheLastAnswer()
    {
        Slow slow("slope=1900000000");
        slow.gate.hold(SearchGate::Call::Record);
        slow.exploration().start();
        TRY_VERIFY(slow.gate.isHolding());
        slow.exploration().stop();
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
        QVERIFY(!slow.snapshot().searchState.recommendation);
        QCOMPARE(slow.snapshot().searchState.status, search::SearchState::Status::NothingFits);
        QVERIFY(!slow.snapshot().canContinue);
    }

    void startsNothingAfterAStop()
    {
        Slow slow;
        slow.thinkIn(SearchGate::Call::Next);
        slow.exploration().start();
        TRY_VERIFY(slow.gate.isHolding());
        slow.exploration().stop();
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok"));
        QCOMPARE(slow.snapshot().searchState.recommendation->size, 1);
    }

    void keepsTheTimeBudget()
    {
        Slow slow;
        slow.harness.options.timeBudget = 1s;
        slow.gate.hold(SearchGate::Call::Record);
        slow.exploration().start();
        TRY_COMPARE(slow.snapshot().state, State::Finishing);
        const double elapsed = slow.snapshot().elapsedSeconds;
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
        QVERIFY(slow.snapshot().finish == FinishStatus::Budget);
        QVERIFY(slow.snapshot().elapsedSeconds > elapsed);
    }

    void pausesBeforeTheNextTrial_data()
    {
        rows<SearchGate::Call>(
            {{"while it records", SearchGate::Call::Record}, {"while it proposes", SearchGate::Call::Next}});
    }
    void pausesBeforeTheNextTrial()
    {
        Slow slow;
        slow.thinkIn(row<SearchGate::Call>());
        slow.exploration().start();
        TRY_VERIFY(slow.gate.isHolding());
        slow.exploration().pause();
        QVERIFY(slow.snapshot().pauseRequested);
        QCOMPARE(slow.snapshot().state, State::Exploring);
        slow.gate.open();
        TRY_COMPARE(slow.snapshot().state, State::Paused);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok"));
        QVERIFY(!slow.snapshot().thinkingSeconds);
        slow.exploration().resume();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
    }

    void resumesBeforeAPauseBegins()
    {
        Slow slow;
        slow.gate.hold(SearchGate::Call::Record);
        slow.exploration().start();
        TRY_VERIFY(slow.gate.isHolding());
        slow.exploration().pause();
        slow.exploration().resume();
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
    }

    void recordsTrialsOfAllDevices()
    {
        Slow slow("", {1, 2, 4, 8});
        test::setGpus(slow.harness.parts, {"first", "second"});
        slow.gate.hold(SearchGate::Call::Record);
        slow.exploration().start();
        TRY_COMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok"));
        TRY_VERIFY(slow.gate.isHolding());
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok, 8 ok"));
        QCOMPARE(slow.harness.told.size(), 4U);
    }

    void continuesWithoutALostDevice()
    {
        Slow slow("start=exit starts after=2");
        test::setGpus(slow.harness.parts, {"first", "second"});
        slow.gate.hold(SearchGate::Call::Record);
        slow.exploration().start();
        TRY_COMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok"));
        slow.killWorker(1);
        TRY_VERIFY(slow.harness.log().contains(QStringLiteral("cuda:1 is given up")));
        QCOMPARE(slow.snapshot().state, State::Exploring);
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
        QCOMPARE(slow.snapshot().trials.back().device, "cuda:0");
        QVERIFY(slow.snapshot().finish == FinishStatus::Exhausted);
    }

    // Whether the search needs the device depends on what it is thinking about.
    void losesItsLastDevice_data()
    {
        rows<std::vector<std::int64_t>, SearchGate::Call, FinishStatus>(
            {{"while it proposes", {{1, 2}, SearchGate::Call::Next, FinishStatus::Failed}},
             {"while it records its last trial", {{1}, SearchGate::Call::Record, FinishStatus::Exhausted}}});
    }
    void losesItsLastDevice()
    {
        const auto& [sizes, call, finish] = row<std::vector<std::int64_t>, SearchGate::Call, FinishStatus>();
        Slow slow("start=exit starts after=1", sizes);
        slow.thinkIn(call);
        slow.exploration().start();
        TRY_VERIFY(slow.gate.isHolding());
        slow.killWorker(0);
        TRY_VERIFY(slow.harness.log().contains(QStringLiteral("is given up")));
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 1);
        QCOMPARE(slow.snapshot().finish, finish);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok"));
    }

    void endsWhenDestroyed()
    {
        Slow slow;
        slow.gate.hold(SearchGate::Call::Record);
        slow.exploration().start();
        TRY_VERIFY(slow.gate.isHolding());
        const std::jthread later([&] { slow.gate.open(); });
        slow.harness.destroyExploration();
        QCOMPARE(slow.harness.told.size(), 1U);
        QVERIFY(slow.harness.isNoWorkerLeft());
        QCoreApplication::processEvents();
        QCOMPARE(slow.harness.finishedSignals(), 0);
    }

    void startsAgainOnlyAfterItsEnd()
    {
        Slow slow;
        engine::onEvent<engine::Finished>(slow.exploration(), &slow.harness, [&](const auto&) {
            if (slow.harness.finishedSignals() == 1)
                slow.exploration().start();
        });
        slow.gate.hold(SearchGate::Call::Record);
        slow.exploration().start();
        TRY_VERIFY(slow.gate.isHolding());
        slow.exploration().stop();
        TRY_VERIFY(slow.harness.isNoWorkerLeft());
        slow.exploration().load(QStringLiteral("other.yaml"), slow.harness.contents, slow.harness.options);
        slow.exploration().start();
        QCOMPARE(slow.snapshot().run->filePath, QStringLiteral("config.yaml"));
        QCOMPARE(slow.snapshot().state, State::Finishing);
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 2);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
        QVERIFY(slow.snapshot().finish == FinishStatus::Exhausted);
    }

    void waitsToContinue()
    {
        Slow slow("", {1, 2});
        slow.harness.more = {4};
        QVERIFY(slow.harness.runToEnd());
        slow.gate.hold(SearchGate::Call::Continue);
        slow.exploration().continueSearch({});
        TRY_COMPARE(slow.snapshot().state, State::Exploring);
        QVERIFY(slow.gate.isHolding());
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok"));
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 2);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
    }

    void stopsBeforeItContinues()
    {
        Slow slow("", {1, 2});
        slow.harness.more = {4};
        QVERIFY(slow.harness.runToEnd());
        slow.gate.hold(SearchGate::Call::Continue);
        slow.exploration().continueSearch({});
        TRY_VERIFY(slow.gate.isHolding());
        slow.exploration().stop();
        QCOMPARE(slow.snapshot().state, State::Finishing);
        slow.gate.open();
        TRY_COMPARE(slow.harness.finishedSignals(), 2);
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok"));
        QVERIFY(slow.snapshot().finish == FinishStatus::Cancelled);
        QVERIFY(slow.snapshot().canContinue);
        QVERIFY(slow.harness.continuesToEnd());
        QCOMPARE(slow.harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
    }
};

BATCHPEAK_TEST(ExplorationThinkingTest)
#include "tst_exploration_thinking.moc"
