// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using test::ExplorationHarness;

Q_DECLARE_METATYPE(batchpeak::engine::FinishStatus)

/// Everything that a worker can do, from the start of an exploration to its end.
class ExplorationEndingsTest : public QObject
{
    Q_OBJECT

private slots:
    void endsAsItShould_data();
    void endsAsItShould();
    void tellsWhenTheKernelKilled();
    void silenceIsNotWaitedForLong_data();
    void silenceIsNotWaitedForLong();
};

void ExplorationEndingsTest::endsAsItShould_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<FinishStatus>("status");
    QTest::addColumn<QString>("trials");
    QTest::addColumn<int>("recommended");
    QTest::addColumn<QString>("said");

    const auto row = [](const char* name, const char* words, FinishStatus status, const char* trials,
                        int recommended, const char* said) {
        QTest::newRow(name) << QString::fromUtf8(words) << status << QString::fromUtf8(trials) << recommended
                            << QString::fromUtf8(said);
    };
    const auto exhausted = FinishStatus::Exhausted;
    row("all is well", "", exhausted, "1 ok, 2 ok, 4 ok", 4, "Trial 3: 4 ran");
    row("optional fields absent", "trial=bare", exhausted, "1 ok, 2 ok, 4 ok", 4, "");
    row("no device described", "start=no-device", exhausted, "1 ok, 2 ok, 4 ok", 4, "of unknown memory");
    row("no steps reported", "trial=silent-steps", exhausted, "1 ok, 2 ok, 4 ok", 4, "");
    row("late answer of an old trial", "trial=late@4", exhausted, "1 ok, 2 ok, 4 ok", 4,
        "a late answer to trial 2");
    row("out of memory", "slope=600000000", exhausted, "1 ok, 2 ok, 4 oom", 2, "4 ran out of memory");
    row("out of main memory", "trial=host-memory@4", exhausted, "1 ok, 2 ok, 4 oom", 2,
        "could not give 3.0 GiB more");
    row("memory stays lost", "trial=lost-memory@2", exhausted, "1 ok, 2 oom, 4 ok", 4, "Trial 3: 4 ran");
    row("nothing fits", "slope=1900000000", FinishStatus::NothingFits, "1 oom", 0, "not even 1");
    row("not even the network fits", "base=1900000000", FinishStatus::NothingFits, "1 oom", 0,
        "The network alone");
    row("spilled memory", "trial=spill@4", exhausted, "1 ok, 2 ok, 4 oom", 2, "moved memory to the host");
    row("above the headroom", "trial=over-headroom@4", exhausted, "1 ok, 2 ok, 4 ok", 4,
        "within the headroom");
    row("thrashes", "trial=thrash@4", exhausted, "1 ok, 2 ok, 4 ok", 2, "thrashes");
    row("unsupported", "trial=unsupported@4", exhausted, "1 ok, 2 ok, 4 unsupported", 2, "not supported");
    row("unsupported from the start", "trial=unsupported", FinishStatus::Failed, "1 unsupported", 0,
        "No trial gave a result");
    row("took too long", "trial=timeout@4", exhausted, "1 ok, 2 ok, 4 timeout", 2, "took too long");
    row("took too long from the start", "trial=timeout", FinishStatus::Failed, "1 timeout", 0,
        "No trial gave a result");
    row("crashes once", "trial=kill@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4,
        "ended by signal 9");
    row("crashes at one size", "trial=abort@2", exhausted, "1 ok, 2 crashed, 2 crashed, 4 ok", 4,
        "a fresh worker is started");
    row("exits in a trial", "trial=exit@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4, "exit code 1");
    row("sticky device error", "trial=exit42@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4,
        "only a fresh process clears");
    row("crashes always", "trial=kill", FinishStatus::Failed,
        "1 crashed, 1 crashed, 2 crashed, 2 crashed, 4 crashed, 4 crashed", 0, "No trial gave a result");
    row("fails once", "trial=failed@2 once", exhausted, "1 ok, 2 failed, 2 ok, 4 ok", 4, "told to answer so");
    row("garbage", "trial=garbage@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4,
        "does not keep to the trial protocol");
    row("endless line", "trial=long-line@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4, "1 MiB");
    row("ok without a step", "trial=zero-steps@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4,
        "does not keep to the trial protocol");
    row("wrong id", "trial=wrong-id@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4,
        "answered trial 1002");
    row("wrong size", "trial=wrong-size@2 once", exhausted, "1 ok, 2 crashed, 2 ok, 4 ok", 4,
        "for a size of 3 where 2 was asked");
    row("refuses to start", "start=refuse", FinishStatus::Failed, "", 0, "refuses to start");
    row("another protocol", "start=new-version", FinishStatus::Failed, "", 0,
        "version 2 of the trial protocol");
    row("greets like a library", "start=garbage", FinishStatus::Failed, "", 0, "trial protocol");
    row("dies at once", "start=exit complain=no_driver_here", FinishStatus::Failed, "", 0, "no_driver_here");
    row("cannot load", "load=error", FinishStatus::Failed, "", 0, "cannot load this network");
    row("dies while loading", "load=exit", FinishStatus::Failed, "", 0, "exit code 8");
    row("does not heed the end", "ignore-end ignore-terminate", exhausted, "1 ok, 2 ok, 4 ok", 4, "");
}

void ExplorationEndingsTest::endsAsItShould()
{
    QFETCH(QString, words);
    QFETCH(FinishStatus, status);
    QFETCH(QString, trials);
    QFETCH(int, recommended);
    QFETCH(QString, said);

    ExplorationHarness harness(words.split(QLatin1Char(' '), Qt::SkipEmptyParts));
    // Only the row that ignores them waits for these.
    harness.parts.timeouts.quit = words.contains(QLatin1String("ignore")) ? 50ms : 10s;
    harness.parts.timeouts.terminate = 50ms;
    QVERIFY(harness.runToEnd());

    const engine::Snapshot& snapshot = harness.snapshot();
    QVERIFY2(snapshot.finish == status, qPrintable(harness.log()));
    QCOMPARE(harness.trials(), trials);
    QCOMPARE(snapshot.state,
             status == FinishStatus::Failed ? engine::State::Failed : engine::State::Finished);
    QCOMPARE(snapshot.searchState.recommendation ? snapshot.searchState.recommendation->size : 0,
             recommended);
    QVERIFY2(harness.log().contains(said), qPrintable(harness.log()));
    QCOMPARE(snapshot.failure.isEmpty(), recommended > 0);
    QCOMPARE(harness.finishedSignals(), 1);
    QVERIFY(harness.isNoWorkerLeft());
}

void ExplorationEndingsTest::tellsWhenTheKernelKilled()
{
    ExplorationHarness harness({QStringLiteral("trial=kill@2"), QStringLiteral("once")});
    harness.parts.memoryKills = [kills = std::int64_t{0}]() mutable { return ++kills; };
    QVERIFY(harness.runToEnd());
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 crashed, 2 ok, 4 ok"));
    QVERIFY2(harness.log().contains(QStringLiteral("had no main memory left")), qPrintable(harness.log()));
    QVERIFY(!harness.log().contains(QStringLiteral("signal 9")));
}

void ExplorationEndingsTest::silenceIsNotWaitedForLong_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<FinishStatus>("status");
    QTest::addColumn<QString>("trials");
    QTest::addColumn<QString>("said");
    QTest::newRow("no hello") << QStringLiteral("start=silent") << FinishStatus::Failed << QString()
                              << QStringLiteral("did not say hello");
    QTest::newRow("never loaded") << QStringLiteral("load=silent") << FinishStatus::Failed << QString()
                                  << QStringLiteral("did not load");
    QTest::newRow("hangs once") << QStringLiteral("trial=hang@2 once") << FinishStatus::Exhausted
                                << QStringLiteral("1 ok, 2 timeout, 2 ok, 4 ok")
                                << QStringLiteral("gave no answer");
    QTest::newRow("hangs and heeds nothing")
        << QStringLiteral("trial=hang@2 ignore-terminate ignore-end") << FinishStatus::Exhausted
        << QStringLiteral("1 ok, 2 timeout, 2 timeout, 4 ok") << QStringLiteral("gave no answer");
}

void ExplorationEndingsTest::silenceIsNotWaitedForLong()
{
    QFETCH(QString, words);
    QFETCH(FinishStatus, status);
    QFETCH(QString, trials);
    QFETCH(QString, said);

    ExplorationHarness harness(words.split(QLatin1Char(' ')));
    // Long enough for a busy computer to start a process, short enough to wait for.
    harness.parts.timeouts.startUp = words.contains(QLatin1String("start")) ? 300ms : 20s;
    harness.parts.timeouts.load = words.contains(QLatin1String("load")) ? 300ms : 20s;
    // The time limit of a trial that nothing predicts is cut down to half a second.
    harness.parts.timeouts.trialGrace = -299500ms;
    harness.parts.timeouts.quit = harness.parts.timeouts.terminate = 50ms;
    QVERIFY(harness.runToEnd());

    QVERIFY2(harness.snapshot().finish == status, qPrintable(harness.log()));
    QCOMPARE(harness.trials(), trials);
    QVERIFY2(harness.log().contains(said), qPrintable(harness.log()));
    QVERIFY(harness.isNoWorkerLeft());
}

BATCHPEAK_TEST(ExplorationEndingsTest)
#include "tst_exploration_endings.moc"
