// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training_harness.h"

#include <QTest>

using namespace batchpeak;
using test::TrainingHarness;
using training::TrainingEnd;

/// Tests how micro-batch sizes change when memory runs out.
class TrainingHalvingTest : public QObject
{
    Q_OBJECT

private slots:
    void trainsAtAFixedSize()
    {
        TrainingHarness harness;
        harness.options.run.setting = config::Fixed{.microBatchSize = 16};
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.steps(),
                 QStringLiteral("1: 64 in 4 x 16, 2: 64 in 4 x 16, 3: 64 in 4 x 16, 4: 64 in 4 x 16"));
        QCOMPARE(harness.signalsSeen(), QStringLiteral("started device epoch step step step step finished"));
        const training::TrainingSnapshot& snapshot = harness.snapshot();
        QVERIFY2(snapshot.end == TrainingEnd::Completed, qPrintable(harness.log()));
        QCOMPARE(snapshot.state, training::TrainingState::Finished);
        QVERIFY(snapshot.failure.isEmpty());
        QCOMPARE(snapshot.microBatchSize, 16);
        QCOMPARE(snapshot.run->steps, 4);
        QCOMPARE(snapshot.run->batchSize, 64);
        // Four micro-batches of 0.01 s, plus 0.001 s per sample and 0.002 s of the optimizer.
        QCOMPARE(snapshot.steps[1].seconds, 0.106);
        QCOMPARE(snapshot.samplesPerSecond, 64 / 0.106);
        QCOMPARE(snapshot.steps[1].tokensPerSecond, 16 * 64 / 0.106);
        QCOMPARE(snapshot.steps[1].peakReservedBytes, 260'000'000);
        QVERIFY(snapshot.steps[3].loss < snapshot.steps[0].loss);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void halvesAndRetriesTheSameBatch_data()
    {
        const auto add = rows<Text, Text, Text, int>();
        add("fits at once", {"", "1: 64 in 1 x 64, 2: 64 in 1 x 64", "", 0});
        add("down the chain", {"slope=200000000", "1: 64 in 8 x 8, 2: 64 in 8 x 8",
                               "train 1: 64 to 32, out_of_memory; train 1: 32 to 16, out_of_memory; train 1: "
                               "16 to 8, out_of_memory",
                               3});
        add("in a later step",
            {"batch=oom#2", "1: 64 in 1 x 64, 2: 64 in 2 x 32", "train 2: 64 to 32, out_of_memory", 1});
        add("main memory", {"batch=host-memory#1", "1: 64 in 2 x 32, 2: 64 in 2 x 32",
                            "train 1: 64 to 32, out_of_memory", 1});
    }
    void halvesAndRetriesTheSameBatch()
    {
        const auto& [words, steps, changes, outOfMemory] = row<Text, Text, Text, int>();
        TrainingHarness harness(words);
        harness.options.halvesAutomatically = true;
        harness.options.steps = 2;
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(harness.steps(), steps);
        QCOMPARE(harness.changes(), changes);
        QCOMPARE(harness.snapshot().outOfMemoryEvents, outOfMemory);
        // Evaluation has its own size, and no evaluation ran.
        QCOMPARE(harness.snapshot().evaluationMicroBatchSize, 64);
    }

    void hasTheSameLossesDespiteFailedAttempts()
    {
        TrainingHarness undisturbed;
        TrainingHarness disturbed("batch=oom#1 batch=oom#4 batch=oom#5");
        for (TrainingHarness* harness : {&undisturbed, &disturbed}) {
            harness->options.halvesAutomatically = true;
            harness->options.steps = 20;
            QVERIFY(harness->runToEnd());
        }
        QCOMPARE(disturbed.snapshot().changes.size(), 3U);
        QCOMPARE(disturbed.snapshot().steps[2].attempts, 3);
        QCOMPARE(disturbed.losses(), undisturbed.losses());
    }

    void halvesEvaluationSeparately()
    {
        TrainingHarness harness("evaluation=oom@64 evaluation=oom@32");
        harness.options.halvesAutomatically = true;
        harness.options.evaluateEvery = 2;
        harness.options.evaluationBatches = 3;
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(harness.changes(),
                 QStringLiteral("eval 2: 64 to 32, out_of_memory; eval 2: 32 to 16, out_of_memory"));
        QCOMPARE(harness.snapshot().microBatchSize, 64);
        QCOMPARE(harness.snapshot().evaluationMicroBatchSize, 16);
        QCOMPARE(harness.signalsSeen(),
                 QStringLiteral("started device epoch step step size size evaluation step step "
                                "evaluation finished"));
        const training::StepRecord& evaluation = harness.snapshot().evaluations.front();
        QCOMPARE(evaluation.step, 2);
        QCOMPARE(evaluation.attempts, 3);
        QCOMPARE(evaluation.microBatchSize, 16);
        // Three batches of four micro-batches, without an optimizer.
        QCOMPARE(evaluation.seconds, 3 * 0.104);
        QCOMPARE(evaluation.samplesPerSecond, 64 / 0.104);
        VERIFY_CONTAINS(harness.log(), "that of training stays");
    }

    void halvesASizeThatThrashes_data()
    {
        const QString whole =
            QStringLiteral("1: 64 in 1 x 64, 2: 64 in 1 x 64, 3: 64 in 1 x 64, 4: 64 in 1 x 64");
        rows<Text, bool, Text>({{"two in a row",
                                 {"batch=thrash#1 batch=thrash#2", true,
                                  "1: 64 in 1 x 64, 2: 64 in 1 x 64, 3: 64 in 2 x 32, 4: 64 in 2 x 32"}},
                                {"two apart", {"batch=thrash#1 batch=thrash#3", true, whole}},
                                {"of a fixed size", {"batch=thrash", false, whole}}});
    }
    void halvesASizeThatThrashes()
    {
        const auto& [words, halves, steps] = row<Text, bool, Text>();
        TrainingHarness harness(words);
        if (halves)
            harness.options.halvesAutomatically = true;
        else
            harness.options.run.setting = config::Whole{};
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.steps(), steps);
        QCOMPARE(harness.snapshot().outOfMemoryEvents, 0);
        if (!harness.changes().isEmpty())
            QCOMPARE(harness.changes(), QStringLiteral("train 3: 64 to 32, thrashing"));
    }
};

BATCHPEAK_TEST(TrainingHalvingTest)
#include "tst_training_halving.moc"
