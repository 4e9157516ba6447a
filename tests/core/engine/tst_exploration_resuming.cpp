// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration_recorder.h"
#include "exploration_harness.h"
#include "history/interrupted_run.h"
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "support/event_spy.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

using namespace batchpeak;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;

/// Tests explorations that are resumed by another program than the one that began them.
class ExplorationResumingTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void resumesFromTheHistory()
    {
        ExplorationHarness first("trial=hang@4", {1, 2, 4, 8});
        interrupt(first, QStringLiteral("1 ok, 2 ok, 4 running"));
        const auto stored = newest();
        QVERIFY(stored && !stored->summary.end);
        QCOMPARE(stored->trials.size(), std::size_t{3});
        QVERIFY(stored->trials.back().outcome == trial::Outcome::Cancelled);
        QCOMPARE(engine::resumeError(history(), *stored), QString());

        ExplorationHarness second("", {1, 2, 4, 8});
        engine::ExplorationRecorder recorder(second.exploration(), history());
        second.exploration().resumeFrom(*engine::interruptedRunFrom(*stored));
        QCOMPARE(second.snapshot().state, State::Idle);
        QCOMPARE(second.snapshot().trials.size(), std::size_t{3});
        QVERIFY(second.endsAs(FinishStatus::Exhausted));
        QCOMPARE(second.trials(), QStringLiteral("1 ok, 2 ok, 4 cancelled, 4 ok, 8 ok"));
        QCOMPARE(second.snapshot().trials.back().number, 5);
        // The search received all trials on one continuous clock.
        QCOMPARE(second.told.size(), std::size_t{4});
        QCOMPARE(second.told.front().stepSeconds, first.told.front().stepSeconds);
        QCOMPARE(second.told.front().clockSeconds, first.told.front().clockSeconds);
        QVERIFY(second.told.back().clockSeconds >
                engine::interruptedRunFrom(*stored)->calls.back().clockSeconds);
        QVERIFY(second.snapshot().elapsedSeconds >
                engine::interruptedRunFrom(*stored)->calls.back().elapsedSeconds);
        QCOMPARE(second.space.memoryLimitBytes, first.space.memoryLimitBytes);
        QVERIFY(second.log().contains(QStringLiteral("Trial 1")));

        const auto whole = newest();
        QCOMPARE(store::ExplorationStore(history()).list().size(), std::size_t{1});
        QCOMPARE(whole->trials.size(), std::size_t{5});
        QCOMPARE(whole->summary.end->status, QStringLiteral("exhausted"));
        QVERIFY(!engine::resumeError(history(), *whole).isEmpty());
    }

    void resumesAfterAStop()
    {
        {
            ExplorationHarness first("trial=hang@4", {1, 2, 4, 8});
            engine::ExplorationRecorder recorder(first.exploration(), history());
            first.exploration().start();
            TRY_COMPARE(first.trials(), QStringLiteral("1 ok, 2 ok, 4 running"));
            first.exploration().stop();
            TRY_COMPARE(first.finishedSignals(), 1);
        }
        const auto stored = newest();
        QCOMPARE(stored->summary.end->status, QStringLiteral("cancelled"));
        QCOMPARE(engine::resumeError(history(), *stored), QString());
        // The window offers only explorations that the user has not stopped.
        QVERIFY(!engine::cutExplorationOf(history(), {}));
        QVERIFY(engine::cutExplorationOf(history(), {}, engine::Stopped::Too));

        ExplorationHarness second("", {1, 2, 4, 8});
        engine::ExplorationRecorder recorder(second.exploration(), history());
        second.exploration().resumeFrom(*engine::interruptedRunFrom(*stored));
        QVERIFY(second.log().contains(QStringLiteral("which was stopped after")));
        QVERIFY(second.endsAs(FinishStatus::Exhausted));
        QCOMPARE(second.trials(), QStringLiteral("1 ok, 2 ok, 4 cancelled, 4 ok, 8 ok"));
        QCOMPARE(second.told.size(), std::size_t{4});
        QCOMPARE(store::ExplorationStore(history()).list().size(), std::size_t{1});
        QCOMPARE(newest()->summary.end->status, QStringLiteral("exhausted"));
        QVERIFY(!engine::resumeError(history(), *newest()).isEmpty());
    }

    // Measurements of another device cannot be compared with earlier ones.
    void failsOnAnotherDevice()
    {
        ExplorationHarness first("trial=hang@4");
        interrupt(first, QStringLiteral("1 ok, 2 ok, 4 running"));
        ExplorationHarness second("line=renamed:hello:/device/name");
        engine::ExplorationRecorder recorder(second.exploration(), history());
        second.exploration().resumeFrom(*engine::interruptedRunFrom(*newest()));
        QVERIFY(second.endsAs(FinishStatus::Failed));
        QCOMPARE(second.trials(), QStringLiteral("1 ok, 2 ok, 4 cancelled"));
        VERIFY_CONTAINS(second.snapshot().failure, "Fake device II where it was Fake device.");
        // It can still be resumed on its own device.
        QCOMPARE(engine::resumeError(history(), *newest()), QString());
    }

    // A container may have another memory limit.
    void resumesWithAnotherMemoryLimit()
    {
        ExplorationHarness first("trial=hang@4");
        interrupt(first, QStringLiteral("1 ok, 2 ok, 4 running"));
        ExplorationHarness second("line=hundredfold:hello:/device/total_bytes");
        second.exploration().resumeFrom(*engine::interruptedRunFrom(*newest()));
        QVERIFY2(second.endsAs(FinishStatus::Exhausted), qPrintable(second.log()));
    }

    // An exploration that is interrupted several times stays one exploration.
    void resumesTwice()
    {
        ExplorationHarness first("trial=hang@2", {1, 2, 4});
        interrupt(first, QStringLiteral("1 ok, 2 running"));
        {
            ExplorationHarness second("trial=hang@4", {1, 2, 4});
            second.exploration().resumeFrom(*engine::interruptedRunFrom(*newest()));
            interrupt(second, QStringLiteral("1 ok, 2 cancelled, 2 ok, 4 running"));
        }
        ExplorationHarness third("", {1, 2, 4});
        engine::ExplorationRecorder recorder(third.exploration(), history());
        third.exploration().resumeFrom(*engine::interruptedRunFrom(*newest()));
        QVERIFY(third.endsAs(FinishStatus::Exhausted));
        QCOMPARE(third.trials(), QStringLiteral("1 ok, 2 cancelled, 2 ok, 4 cancelled, 4 ok"));
        QCOMPARE(third.told.size(), std::size_t{3});
        QCOMPARE(newest()->trials.size(), std::size_t{5});
    }

    void restoresCommandsOfTheUser()
    {
        ExplorationHarness first("trial=hang@2", {1, 2, 4});
        first.options.timeBudget = std::chrono::seconds(600);
        interrupt(first, QStringLiteral("1 ok, 2 running"), [](engine::Exploration& exploration) {
            exploration.extend({.time = std::chrono::seconds(60)});
            QCOMPARE(exploration.tryNow(16), QString());
        });
        ExplorationHarness second("", {1, 2, 4});
        second.options.timeBudget = std::chrono::seconds(600);
        second.exploration().resumeFrom(*engine::interruptedRunFrom(*newest()));
        QCOMPARE(second.snapshot().askedSizes, std::vector<std::int64_t>{16});
        QVERIFY(second.runToEnd());
        QCOMPARE(second.snapshot().run->budgetSeconds, 660.0);
        QVERIFY2(second.trials().startsWith(QStringLiteral("1 ok, 2 cancelled, 16 ok")),
                 qPrintable(second.trials()));
    }

    void refusesAnotherRun()
    {
        ExplorationHarness first("trial=hang@2", {1, 2});
        interrupt(first, QStringLiteral("1 ok, 2 running"));
        ExplorationHarness second("", {1, 2});
        second.options.sequenceLength = second.contents.sequenceLength / 2;
        const QString why = second.exploration().resumeFrom(*engine::interruptedRunFrom(*newest()));
        QVERIFY2(why.startsWith(QStringLiteral("Exploration 1 cannot continue with the same run")),
                 qPrintable(why));
        QVERIFY(second.snapshot().trials.empty() && !second.exploration().takenUp());
    }

    void staysResumableIfNoWorkerStarts()
    {
        ExplorationHarness first("trial=hang@2", {1, 2});
        interrupt(first, QStringLiteral("1 ok, 2 running"));
        {
            ExplorationHarness second("start=exit", {1, 2});
            engine::ExplorationRecorder recorder(second.exploration(), history());
            second.exploration().resumeFrom(*engine::interruptedRunFrom(*newest()));
            QVERIFY(second.endsAs(FinishStatus::Failed));
            QVERIFY(!second.snapshot().failure.isEmpty());
            QCOMPARE(engine::resumeError(history(), *newest()), QString());
        }
        ExplorationHarness third("", {1, 2});
        engine::ExplorationRecorder recorder(third.exploration(), history());
        third.exploration().resumeFrom(*engine::interruptedRunFrom(*newest()));
        QVERIFY(third.endsAs(FinishStatus::Exhausted));
        QCOMPARE(third.trials(), QStringLiteral("1 ok, 2 cancelled, 2 ok"));
    }

    void refusesARunningExploration()
    {
        ExplorationHarness first("trial=hang@2", {1, 2});
        engine::ExplorationRecorder recorder(first.exploration(), history());
        first.exploration().start();
        TRY_COMPARE(first.trials(), QStringLiteral("1 ok, 2 running"));
        // The exploration counts as running for as long as its lock is held.
        QVERIFY(store::HistoryWriter::isUnderWay(history(), newest()->summary.id));
        QVERIFY(engine::resumeError(history(), *newest()).contains(QStringLiteral("Another program")));
        first.exploration().stop();
        TRY_COMPARE(first.finishedSignals(), 1);
        QVERIFY(!store::HistoryWriter::isUnderWay(history(), newest()->summary.id));
    }

private:
    using Command = std::function<void(engine::Exploration&)>;

    /// Interrupts an exploration when it has these trials, as if its program had ended, as far as a test can.
    void interrupt(ExplorationHarness& harness, const QString& trials, const Command& command = {})
    {
        auto recorder = std::make_unique<engine::ExplorationRecorder>(harness.exploration(), history());
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), trials);
        if (command)
            command(harness.exploration());
        // Calls of this turn of the event loop are written at its end.
        QCoreApplication::processEvents();
        recorder.reset();
        harness.destroyExploration();
    }

    QString history() const { return m_folder->filePath(QStringLiteral("history.sqlite")); }
    std::optional<store::StoredExploration> newest() const
    {
        const store::ExplorationStore store(history());
        const auto list = store.list();
        return list.empty() ? std::nullopt : store.show(list.front().id);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(ExplorationResumingTest)
#include "tst_exploration_resuming.moc"
