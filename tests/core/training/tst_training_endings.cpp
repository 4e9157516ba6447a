// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "training_harness.h"

#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using test::TrainingHarness;
using training::TrainingEnd;

/// Every way in which a training can end, with every fault of a worker.
class TrainingEndingsTest : public QObject
{
    Q_OBJECT

private slots:
    void endsAsItShould_data();
    void endsAsItShould();
    void silenceIsNotWaitedForLong_data();
    void silenceIsNotWaitedForLong();
    void goesOnAfterADivergedLoss();
    void leavesOutLateAnswers();
    void needsABatchOfData();
};

void TrainingEndingsTest::endsAsItShould_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<bool>("halves");
    QTest::addColumn<TrainingEnd>("end");
    QTest::addColumn<int>("steps");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const char* words, bool halves, TrainingEnd end, int steps,
                        const char* said) {
        QTest::newRow(name) << QString::fromUtf8(words) << halves << end << steps << QString::fromUtf8(said);
    };
    constexpr auto failed = TrainingEnd::Failed;
    constexpr auto nothing = TrainingEnd::NothingFits;
    row("all is well", "", true, TrainingEnd::Completed, 4, "The training is done, with step 4.");
    row("nothing fits", "slope=1950000000", true, nothing, 0,
        "The train loop failed with an internal microbatch of size 1. It needs at least 1.9 GiB, and 1.9 GiB "
        "may");
    row("not any more",
        "batch=oom#3*9 batch=oom#4 batch=oom#5 batch=oom#6 batch=oom#7 batch=oom#8 batch=oom#9", true,
        nothing, 2, "The train loop failed with an internal microbatch of size 1.");
    row("a fixed size", "slope=200000000", false, nothing, 0,
        "Memory ran out with micro-batches of 16 samples. It needs at least 3.1 GiB, and 1.9 GiB may be "
        "used. Give a "
        "smaller size with --setting");
    row("not even the network", "base=2100000000", true, nothing, 0, "The network alone");
    row("memory stays lost", "batch=lost-memory#2", true, failed, 1, "did not get it back");
    row("failed", "batch=failed#2", true, failed, 1,
        "Step 2 failed with micro-batches of 64 samples: The fake");
    row("unsupported", "batch=unsupported#1", true, failed, 0, "whatever the memory");
    row("timeout", "batch=timeout#1", true, failed, 0, "told to answer so");
    row("crashes", "batch=abort#3", true, failed, 2, "ended by signal 6");
    row("is killed", "batch=kill#1", true, failed, 0, "ended by signal 9");
    row("exits", "batch=exit#2 complain=no_disk_left", true, failed, 1, "no_disk_left");
    row("device error", "batch=exit42#2", true, failed, 1, "only a fresh process clears");
    row("garbage", "batch=garbage#1", true, failed, 0, "does not keep to the trial protocol");
    row("wrong id", "batch=wrong-id#1", true, failed, 0, "answered batch 1001");
    row("wrong size", "batch=wrong-size#1", true, failed, 0, "for a size of 65 where 64 was asked");
    row("speaks of a trial", "batch=trial-result#1", true, failed, 0, "spoke of a trial");
    row("refuses to start", "start=refuse", true, failed, 0, "refuses to start");
    row("another protocol", "start=new-version", true, failed, 0, "version 2 of the trial protocol");
    row("dies at once", "start=exit complain=no_driver_here", true, failed, 0, "no_driver_here");
    row("cannot load", "load=error", true, failed, 0, "cannot load this network");
    row("dies while loading", "load=exit", true, failed, 0, "exit code 8");
    row("knows no training", "training=unknown", true, failed, 0,
        "This program cannot train: fake-worker 1. It answered: The message type");
    row("cannot read the data", "training=error", true, failed, 0, "cannot read this data");
    row("dies getting ready", "training=kill", true, failed, 0, "ended by signal 9");
    row("does not heed the end", "ignore-end ignore-terminate", true, TrainingEnd::Completed, 4, "");
}

void TrainingEndingsTest::endsAsItShould()
{
    QFETCH(QString, words);
    QFETCH(bool, halves);
    QFETCH(TrainingEnd, end);
    QFETCH(int, steps);
    QFETCH(QString, said);

    TrainingHarness harness(words.split(QLatin1Char(' '), Qt::SkipEmptyParts));
    if (halves)
        harness.options.halvesAutomatically = true;
    else
        harness.options.run.setting = config::Fixed{.microBatchSize = 16};
    // Only the row that ignores them waits for these.
    harness.parts.timeouts.quit = words.contains(QLatin1String("ignore")) ? 50ms : 10s;
    harness.parts.timeouts.terminate = 50ms;
    QVERIFY(harness.runToEnd());

    const training::TrainingSnapshot& snapshot = harness.snapshot();
    QVERIFY2(snapshot.end == end, qPrintable(harness.log()));
    QCOMPARE(static_cast<int>(snapshot.steps.size()), steps);
    QCOMPARE(snapshot.state, end == TrainingEnd::Failed ? training::TrainingState::Failed
                                                        : training::TrainingState::Finished);
    QVERIFY2(harness.log().contains(said), qPrintable(harness.log()));
    QCOMPARE(snapshot.failure.isEmpty(), end == TrainingEnd::Completed);
    QCOMPARE(harness.finishedSignals(), 1);
    QVERIFY(harness.isNoWorkerLeft());
}

void TrainingEndingsTest::silenceIsNotWaitedForLong_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("said");
    QTest::newRow("no hello") << QStringLiteral("start=silent") << QStringLiteral("did not say hello");
    QTest::newRow("never loaded") << QStringLiteral("load=silent") << QStringLiteral("did not load");
    QTest::newRow("never ready") << QStringLiteral("training=silent") << QStringLiteral("did not get ready");
    QTest::newRow("hangs in a batch")
        << QStringLiteral("batch=hang#2") << QStringLiteral("no sign of life in the middle of a batch");
    QTest::newRow("hangs and heeds nothing") << QStringLiteral("batch=hang#2 ignore-terminate ignore-end")
                                             << QStringLiteral("no sign of life in the middle of a batch");
}

void TrainingEndingsTest::silenceIsNotWaitedForLong()
{
    QFETCH(QString, words);
    QFETCH(QString, said);
    TrainingHarness harness(words.split(QLatin1Char(' ')));
    engine::WorkerTimeouts& timeouts = harness.parts.timeouts;
    // Long enough for a busy computer to start a process, short enough to wait for.
    timeouts.startUp = words.contains(QLatin1String("start")) ? 300ms : 20s;
    timeouts.load = words.contains(QLatin1String("load")) ? 300ms : 20s;
    timeouts.training = words.contains(QLatin1String("training")) ? 300ms : 20s;
    timeouts.batch = words.contains(QLatin1String("batch")) ? 300ms : 20s;
    timeouts.quit = timeouts.terminate = 50ms;
    QVERIFY(harness.runToEnd());
    QVERIFY2(harness.snapshot().end == TrainingEnd::Failed, qPrintable(harness.log()));
    QVERIFY2(harness.log().contains(said), qPrintable(harness.log()));
    QVERIFY(harness.isNoWorkerLeft());
}

void TrainingEndingsTest::goesOnAfterADivergedLoss()
{
    TrainingHarness harness({QStringLiteral("batch=nan#2"), QStringLiteral("batch=nan#3")});
    QVERIFY(harness.runToEnd());
    QVERIFY(harness.snapshot().end == TrainingEnd::Completed);
    QCOMPARE(harness.log().count(QStringLiteral("has diverged")), 1);
    QVERIFY(harness.log().contains(QStringLiteral("Step 2: the loss")));
}

void TrainingEndingsTest::leavesOutLateAnswers()
{
    TrainingHarness harness({QStringLiteral("batch=late#2")});
    QVERIFY(harness.runToEnd());
    QVERIFY2(harness.snapshot().end == TrainingEnd::Completed, qPrintable(harness.log()));
    QVERIFY(harness.log().contains(QStringLiteral("a late answer to batch 1 was left out")));
}

void TrainingEndingsTest::needsABatchOfData()
{
    TrainingHarness harness;
    harness.options.data.samples = 63;
    QVERIFY(harness.runToEnd());
    QVERIFY(harness.snapshot().end == TrainingEnd::Failed);
    QVERIFY2(harness.snapshot().failure.startsWith(
                 QStringLiteral("The data has 63 samples, less than one batch of 64")),
             qPrintable(harness.snapshot().failure));
}

BATCHPEAK_TEST(TrainingEndingsTest)
#include "tst_training_endings.moc"
