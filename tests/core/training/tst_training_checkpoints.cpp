// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "training/checkpoint_folder.h"
#include "training_harness.h"

#include <QDir>
#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using test::TrainingHarness;
using training::TrainingEnd;
using training::TrainingRun;

namespace {

/// A training of \p steps steps over epochs of three batches, with checkpoints in \p folder.
void prepare(TrainingHarness& harness, std::int64_t steps, const QString& folder)
{
    harness.options.halvesAutomatically = true;
    harness.options.data.samples = 200;
    harness.options.steps = steps;
    harness.options.checkpointFolder = folder;
}

QString errorOf(TrainingHarness& harness)
{
    try {
        harness.run();
    } catch (const config::ConfigError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

} // namespace

class TrainingCheckpointsTest : public QObject
{
    Q_OBJECT

private slots:
    void savesAtTheEndAndBetween();
    void savesWhatWasLearnedBeforeAFailure_data();
    void savesWhatWasLearnedBeforeAFailure();
    void goesOnAsIfItHadNeverEnded_data();
    void goesOnAsIfItHadNeverEnded();
    void goesOnAtAnotherFixedSize();
    void refusesToGoOn_data();
    void refusesToGoOn();
    void tellsOfASaveThatFails_data();
    void tellsOfASaveThatFails();
    void namesTheCheckpointToGoOnFrom();
    void savesWhenItIsStopped();
};

void TrainingCheckpointsTest::savesAtTheEndAndBetween()
{
    TrainingHarness harness;
    prepare(harness, 7, harness.path(QStringLiteral("c")));
    harness.options.checkpointEvery = 3;
    QVERIFY(harness.runToEnd());
    QVERIFY2(harness.snapshot().end == TrainingEnd::Completed, qPrintable(harness.log()));
    QCOMPARE(harness.signalsSeen(),
             QStringLiteral("started device epoch step step step checkpoint epoch step step "
                            "step checkpoint epoch step checkpoint finished"));
    const auto found = training::CheckpointFolder(harness.path(QStringLiteral("c"))).newest();
    QCOMPARE(found.path, harness.snapshot().checkpoint);
    QCOMPARE(found.state.step, 7);
    QCOMPARE(found.state.epoch, 2);
    QCOMPARE(found.state.samplesDone, 64);
    QCOMPARE(found.state.microBatchSize, 64);
    QVERIFY(found.state.fingerprint.contains(QStringLiteral("seed: 1\n")));
}

void TrainingCheckpointsTest::savesWhatWasLearnedBeforeAFailure_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<TrainingEnd>("end");
    QTest::newRow("nothing fits") << QStringLiteral("batch=oom#3 batch=oom#4") << TrainingEnd::NothingFits;
    QTest::newRow("failed") << QStringLiteral("batch=failed#3") << TrainingEnd::Failed;
}

void TrainingCheckpointsTest::savesWhatWasLearnedBeforeAFailure()
{
    QFETCH(QString, words);
    QFETCH(TrainingEnd, end);
    TrainingHarness harness(words.split(QLatin1Char(' ')));
    prepare(harness, 7, harness.path(QStringLiteral("c")));
    harness.options.halvesAutomatically = false;
    harness.options.run.setting = config::Whole{};
    QVERIFY(harness.runToEnd());
    QVERIFY2(harness.snapshot().end == end, qPrintable(harness.log()));
    QVERIFY2(harness.snapshot().failure.endsWith(
                 QStringLiteral("with --resume %1.").arg(harness.snapshot().checkpoint)),
             qPrintable(harness.snapshot().failure));
    QCOMPARE(training::CheckpointFolder(harness.snapshot().checkpoint).newest().state.step, 2);
}

void TrainingCheckpointsTest::goesOnAsIfItHadNeverEnded_data()
{
    QTest::addColumn<int>("firstSteps");
    QTest::addColumn<QString>("words");
    QTest::newRow("in the middle of an epoch") << 4 << QString();
    QTest::newRow("at the end of one") << 6 << QString();
    QTest::newRow("after a halving") << 4 << QStringLiteral("batch=oom#2");
}

void TrainingCheckpointsTest::goesOnAsIfItHadNeverEnded()
{
    QFETCH(int, firstSteps);
    QFETCH(QString, words);
    const QStringList faults = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    TrainingHarness whole(faults);
    TrainingHarness first(faults);
    TrainingHarness second;
    const QString folder = first.path(QStringLiteral("c"));
    prepare(whole, 10, {});
    prepare(first, firstSteps, folder);
    prepare(second, 10, folder);
    second.options.resumeFolder = folder;
    QVERIFY(whole.runToEnd() && first.runToEnd());
    QCOMPARE(second.run().snapshot().run->firstStep, firstSteps);
    QVERIFY(second.runToEnd());
    QVERIFY2(second.snapshot().end == TrainingEnd::Completed, qPrintable(second.log()));
    QCOMPARE(first.losses() + second.losses(), whole.losses());
    QCOMPARE(first.steps() + QLatin1String(", ") + second.steps(), whole.steps());
    QCOMPARE(second.snapshot().run->steps, 10);
    QCOMPARE(training::CheckpointFolder(folder).newest().state.step, 10);
}

void TrainingCheckpointsTest::goesOnAtAnotherFixedSize()
{
    TrainingHarness first;
    const QString folder = first.path(QStringLiteral("c"));
    prepare(first, 2, folder);
    QVERIFY(first.runToEnd());
    TrainingHarness second;
    prepare(second, 3, {});
    second.options.halvesAutomatically = false;
    second.options.run.setting = config::Fixed{.microBatchSize = 16};
    second.options.resumeFolder = folder;
    QVERIFY(second.runToEnd());
    QCOMPARE(second.steps(), QStringLiteral("3: 64 in 4 x 16"));
}

void TrainingCheckpointsTest::refusesToGoOn_data()
{
    QTest::addColumn<int>("seed");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("steps");
    QTest::addColumn<QString>("said");
    QTest::newRow("another seed") << 2 << 64 << 9 << QStringLiteral("seed: 1 there, 2 here");
    QTest::newRow("another batch") << 1 << 32 << 9 << QStringLiteral("batch_size: 64 there, 32 here");
    QTest::newRow("all is done") << 1 << 64 << 4
                                 << QStringLiteral("is of step 4 already, and 4 are asked for");
}

void TrainingCheckpointsTest::refusesToGoOn()
{
    QFETCH(int, seed);
    QFETCH(int, batch);
    QFETCH(int, steps);
    QFETCH(QString, said);
    TrainingHarness first;
    const QString folder = first.path(QStringLiteral("c"));
    prepare(first, 4, folder);
    QVERIFY(first.runToEnd());
    TrainingHarness second;
    prepare(second, steps, {});
    second.contents.train->globalBatchSize = batch;
    second.options.run.seed = static_cast<std::uint64_t>(seed);
    second.options.resumeFolder = folder;
    const QString error = errorOf(second);
    QVERIFY2(error.contains(said), qPrintable(error));
}

void TrainingCheckpointsTest::tellsOfASaveThatFails_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("steps");
    QTest::addColumn<QString>("said");
    QTest::newRow("full disk") << QStringLiteral("save=fail") << 5 << QStringLiteral("The fake disk is full");
    QTest::newRow("killed") << QStringLiteral("save=kill") << 2 << QStringLiteral("ended by signal 9");
    QTest::newRow("silent") << QStringLiteral("save=silent") << 2
                            << QStringLiteral("did not save the checkpoint within");
}

void TrainingCheckpointsTest::tellsOfASaveThatFails()
{
    QFETCH(QString, words);
    QFETCH(int, steps);
    QFETCH(QString, said);
    TrainingHarness harness({words});
    prepare(harness, 5, harness.path(QStringLiteral("c")));
    harness.options.checkpointEvery = 2;
    harness.parts.timeouts.save = words.endsWith(QLatin1String("silent")) ? 300ms : 20s;
    QVERIFY(harness.runToEnd());
    QVERIFY2(harness.snapshot().end == TrainingEnd::Failed, qPrintable(harness.log()));
    // What fails in the middle is tried again when the next one is due.
    QCOMPARE(static_cast<int>(harness.snapshot().steps.size()), steps);
    QVERIFY2(harness.snapshot().failure.contains(said), qPrintable(harness.snapshot().failure));
    QVERIFY(harness.snapshot().checkpoint.isEmpty());
    QVERIFY(harness.isNoWorkerLeft());
}

void TrainingCheckpointsTest::namesTheCheckpointToGoOnFrom()
{
    TrainingHarness harness({QStringLiteral("batch=kill#4")});
    prepare(harness, 5, harness.path(QStringLiteral("c")));
    harness.options.checkpointEvery = 2;
    QVERIFY(harness.runToEnd());
    QVERIFY(harness.snapshot().end == TrainingEnd::Failed);
    QVERIFY2(harness.snapshot().failure.contains(
                 QStringLiteral("with --resume %1.").arg(harness.snapshot().checkpoint)),
             qPrintable(harness.snapshot().failure));
    QVERIFY(harness.snapshot().checkpoint.endsWith(QLatin1String("2")));
}

void TrainingCheckpointsTest::savesWhenItIsStopped()
{
    TrainingHarness harness;
    prepare(harness, 100, harness.path(QStringLiteral("c")));
    TrainingRun& run = harness.run();
    engine::onEvent<training::StepDone>(run, &run, [&run](const auto& done) {
        if (done.step.step == 5)
            run.stop();
    });
    QVERIFY(harness.runToEnd());
    QVERIFY(harness.snapshot().end == TrainingEnd::Interrupted);
    QCOMPARE(training::CheckpointFolder(harness.snapshot().checkpoint).newest().state.step, 5);
}

BATCHPEAK_TEST(TrainingCheckpointsTest)
#include "tst_training_checkpoints.moc"
