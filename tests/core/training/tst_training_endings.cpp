// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training_harness.h"

#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using test::TrainingHarness;
using training::TrainingEnd;

/// Tests every way in which a training run can end, with every fault of a worker.
class TrainingEndingsTest : public QObject
{
    Q_OBJECT

private slots:
    void endsAsItShould_data()
    {
        constexpr auto failed = TrainingEnd::Failed;
        constexpr auto nothing = TrainingEnd::NothingFits;
        const auto add = rows<Text, bool, TrainingEnd, int, Text>();
        add("all is well", {"", true, TrainingEnd::Completed, 4, "Training done after step 4."});
        add("nothing fits", {"slope=1950000000", true, nothing, 0,
                             "The train loop failed with an internal microbatch of size 1. It needs at least "
                             "1.91 GiB, and 1.86 GiB may"});
        add("not any more",
            {"batch=oom#3*9 batch=oom#4 batch=oom#5 batch=oom#6 batch=oom#7 batch=oom#8 batch=oom#9", true,
             nothing, 2,
             "The train loop failed with an internal microbatch of size 1. Memory ran out although 1.9 GiB "
             "may be used"});
        add("a fixed size", {"slope=200000000", false, nothing, 0,
                             "Memory ran out with micro-batches of 16 samples. It needs at least 3.1 GiB, "
                             "and 1.9 GiB may be used. Give a smaller size with --setting"});
        add("not even the network", {"base=2100000000", true, nothing, 0, "The network alone"});
        add("memory stays lost", {"batch=lost-memory#2", true, failed, 1, "did not get it back"});
        add("failed",
            {"batch=failed#2", true, failed, 1, "Step 2 failed with micro-batches of 64 samples: The fake"});
        add("unsupported", {"batch=unsupported#1", true, failed, 0, "whatever the memory"});
        add("timeout", {"batch=timeout#1", true, failed, 0, "told to answer so"});
        add("crashes", {"batch=abort#3", true, failed, 2, "ended by signal 6"});
        add("is killed", {"batch=kill#1", true, failed, 0, "ended by signal 9"});
        add("exits", {"batch=exit#2 complain=no_disk_left", true, failed, 1, "no_disk_left"});
        add("device error", {"batch=exit42#2", true, failed, 1, "only a fresh process clears"});
        add("garbage", {"batch=garbage#1", true, failed, 0, "does not keep to the trial protocol"});
        add("wrong id", {"batch=wrong-id#1", true, failed, 0, "answered batch 1001"});
        add("wrong size", {"batch=wrong-size#1", true, failed, 0, "for a size of 65 where 64 was asked"});
        add("speaks of a trial", {"batch=trial-result#1", true, failed, 0, "spoke of a trial"});
        add("refuses to start", {"start=refuse", true, failed, 0, "refuses to start"});
        add("another protocol", {"start=new-version", true, failed, 0, "version 4 of the trial protocol"});
        add("dies at once", {"start=exit complain=no_driver_here", true, failed, 0, "no_driver_here"});
        add("cannot load", {"load=error", true, failed, 0, "cannot load this network"});
        add("dies while loading", {"load=exit", true, failed, 0, "exit code 8"});
        add("knows no training", {"training=unknown", true, failed, 0,
                                  "This program cannot train: fake-worker 1. It answered: The message type"});
        add("cannot read the data", {"training=error", true, failed, 0, "cannot read this data"});
        add("dies getting ready", {"training=kill", true, failed, 0, "ended by signal 9"});
        add("does not heed the end", {"ignore-end ignore-terminate", true, TrainingEnd::Completed, 4, ""});
    }
    void endsAsItShould()
    {
        const auto& [words, halves, end, steps, said] = row<Text, bool, TrainingEnd, int, Text>();

        TrainingHarness harness(words);
        if (halves)
            harness.options.halvesAutomatically = true;
        else
            harness.options.run.setting = config::Fixed{.microBatchSize = 16};
        // Only the row with a worker that ignores them waits for these timeouts.
        harness.parts.timeouts.quit = words.contains(QLatin1String("ignore")) ? 50ms : 10s;
        harness.parts.timeouts.terminate = 50ms;
        QVERIFY(harness.runToEnd());

        const training::TrainingSnapshot& snapshot = harness.snapshot();
        QVERIFY2(snapshot.end == end, qPrintable(harness.log()));
        QCOMPARE(static_cast<int>(snapshot.steps.size()), steps);
        QCOMPARE(snapshot.state, end == TrainingEnd::Failed ? training::TrainingState::Failed
                                                            : training::TrainingState::Finished);
        VERIFY_CONTAINS(harness.log(), said);
        QCOMPARE(snapshot.failure.isEmpty(), end == TrainingEnd::Completed);
        QCOMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void failsAfterSilence_data()
    {
        rows<Text, Text>(
            {{"no hello", {"start=silent", "did not say hello"}},
             {"never loaded", {"load=silent", "did not load"}},
             {"never ready", {"training=silent", "did not get ready"}},
             {"hangs in a batch", {"batch=hang#2", "no sign of life in the middle of a batch"}},
             {"hangs and heeds nothing",
              {"batch=hang#2 ignore-terminate ignore-end", "no sign of life in the middle of a batch"}}});
    }
    void failsAfterSilence()
    {
        const auto& [words, said] = row<Text, Text>();
        TrainingHarness harness(words);
        engine::WorkerTimeouts& timeouts = harness.parts.timeouts;
        // Long enough for a busy computer to start a process, short enough to wait for.
        timeouts.startUp = words.contains(QLatin1String("start")) ? 300ms : 20s;
        timeouts.load = words.contains(QLatin1String("load")) ? 300ms : 20s;
        timeouts.training = words.contains(QLatin1String("training")) ? 300ms : 20s;
        timeouts.batch = words.contains(QLatin1String("batch")) ? 300ms : 20s;
        timeouts.quit = timeouts.terminate = 50ms;
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.log(), said);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void namesTheActualMicroBatches_data()
    {
        rows<int, int, Text>({{"a size that divides the batch", {64, 16, "of 16 samples: The fake"}},
                              {"one that does not", {65, 16, "of 13 samples: The fake"}},
                              {"a single sample is left", {5, 2, "of 1 and 2 samples: The fake"}},
                              {"a batch of one", {1, 1, "of 1 sample: The fake"}}});
    }
    void namesTheActualMicroBatches()
    {
        const auto& [batch, size, said] = row<int, int, Text>();
        TrainingHarness harness("batch=failed");
        harness.contents = test::smallConfig(batch);
        harness.options.run.setting = config::Fixed{.microBatchSize = size};
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.snapshot().failure, said);
    }

    void trainsOnlyOnTheDeviceOfTheMaximum()
    {
        TrainingHarness harness("starts until=1 line=renamed:hello:/device/name");
        harness.options.maximum = training::MaximumWay::Halving;
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.snapshot().failure, "runs on another device than the one before it");
        QVERIFY(harness.snapshot().steps.empty());
    }

    void continuesAfterADivergedLoss()
    {
        TrainingHarness harness("batch=nan#2 batch=nan#3");
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(harness.log().count(QStringLiteral("training diverged")), 1);
        VERIFY_CONTAINS(harness.log(), "Step 2: loss is NaN");
    }

    void ignoresLateAnswers()
    {
        TrainingHarness harness("batch=late#2");
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.log(), "a late answer to batch 1 was left out");
    }

    void requiresABatchOfData()
    {
        TrainingHarness harness;
        harness.options.data.samples = 63;
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        VERIFY_STARTS_WITH(harness.snapshot().failure, "The data has 63 samples, less than one batch of 64");
    }
};

BATCHPEAK_TEST(TrainingEndingsTest)
#include "tst_training_endings.moc"
