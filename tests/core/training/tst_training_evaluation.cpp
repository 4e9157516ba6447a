// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/error_of.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/step_record.h"
#include "training_harness.h"

#include <QTest>

using namespace batchpeak;
using test::TrainingHarness;
using training::EvaluationRound;
using training::StepRecord;
using training::TrainingEnd;

namespace {

/// Prepares epochs of two batches of 64: 20 of 200 samples are held out, and 52 do not fill a batch.
void prepare(TrainingHarness& harness, std::int64_t epochs)
{
    harness.options.halvesAutomatically = true;
    harness.options.data.samples = 200;
    harness.options.data.heldOut.share = 0.1;
    harness.options.steps.reset();
    harness.options.epochs = epochs;
}

QList<double> evaluationLosses(TrainingHarness& harness)
{
    QList<double> losses;
    for (const StepRecord& evaluation : harness.snapshot().evaluations)
        losses.append(evaluation.loss);
    return losses;
}

} // namespace

/// Tests which samples evaluations use, when they run, and what their records hold.
class TrainingEvaluationTest : public QObject
{
    Q_OBJECT

private slots:
    void evaluatesHeldOutSamplesAfterEachEpoch()
    {
        TrainingHarness harness;
        prepare(harness, 2);
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(harness.signalsSeen(),
                 QStringLiteral("started device epoch step step evaluation epoch step step "
                                "evaluation finished"));
        QCOMPARE(harness.snapshot().run->heldOutSamples, 20);
        QVERIFY(harness.snapshot().run->data.endsWith(QStringLiteral("180 samples an epoch, 20 held out")));
        QCOMPARE(harness.snapshot().evaluations.front().batchSize, 20);
    }

    void evaluatesAtTheRequestedInterval()
    {
        TrainingHarness harness;
        prepare(harness, 2);
        harness.options.evaluateEvery = 3;
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(harness.snapshot().evaluations.size(), 1U);
        QCOMPARE(harness.snapshot().evaluations.front().step, 3);
    }

    void evaluatesAllHeldOutSamplesOrSomeBatches_data()
    {
        rows<int, int>({{"all", {0, 150}},
                        {"one batch", {1, 64}},
                        {"two batches", {2, 128}},
                        {"more than there are", {9, 150}}});
    }
    void evaluatesAllHeldOutSamplesOrSomeBatches()
    {
        const auto& [batches, samples] = row<int, int>();
        TrainingHarness harness;
        prepare(harness, 1);
        harness.options.data.samples = 640;
        harness.options.data.heldOut = {.samples = 150};
        if (batches > 0)
            harness.options.evaluationBatches = batches;
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        const StepRecord& evaluation = harness.snapshot().evaluations.front();
        QCOMPARE(evaluation.batchSize, 64);
        QCOMPARE(std::llround(evaluation.samplesPerSecond * evaluation.seconds), samples);
    }

    void resumesWithTheSameSplit()
    {
        TrainingHarness whole;
        TrainingHarness first;
        TrainingHarness second;
        prepare(whole, 4);
        prepare(first, 2);
        prepare(second, 4);
        first.options.checkpointFolder = first.path(QStringLiteral("c"));
        second.options.resumeFolder = first.options.checkpointFolder;
        QVERIFY(whole.runToEnd() && first.runToEnd());
        QVERIFY2(second.endsAs(TrainingEnd::Completed), qPrintable(second.log()));
        QCOMPARE(evaluationLosses(first) + evaluationLosses(second), evaluationLosses(whole));
        QCOMPARE(evaluationLosses(whole).size(), 4);
    }

    void refusesToResumeWithAnotherSplit_data()
    {
        rows<trial::HeldOut, Text>(
            {{"another share", {{.share = 0.2}, "data.held_out_share: 0.1 there, 0.2 here"}},
             {"none", {trial::HeldOut(), "data.held_out_share: 0.1 there, nothing here"}}});
    }
    void refusesToResumeWithAnotherSplit()
    {
        const auto& [heldOut, said] = row<trial::HeldOut, Text>();
        TrainingHarness first;
        prepare(first, 1);
        first.options.checkpointFolder = first.path(QStringLiteral("c"));
        QVERIFY(first.runToEnd());
        TrainingHarness second;
        prepare(second, 2);
        second.options.data.heldOut = heldOut;
        second.options.resumeFolder = first.options.checkpointFolder;
        VERIFY_CONTAINS(test::errorOf([&] { second.run(); }), said);
    }

    void refusesToResumeWithMoreData()
    {
        TrainingHarness first("samples=200");
        TrainingHarness second("samples=240");
        for (TrainingHarness* harness : {&first, &second}) {
            prepare(*harness, harness == &first ? 1 : 2);
            harness->options.data = {
                .kind = trial::DataKind::Text, .path = "/data/text", .samples = 0, .heldOut = {.share = 0.1}};
        }
        first.options.checkpointFolder = first.path(QStringLiteral("c"));
        second.options.resumeFolder = first.options.checkpointFolder;
        QVERIFY2(first.endsAs(TrainingEnd::Completed), qPrintable(first.log()));
        QVERIFY(second.endsAs(TrainingEnd::Failed));
        VERIFY_CONTAINS(second.snapshot().failure, "The data has 240 samples, and had 200");
    }

    void refusesAWorkerThatHoldsNothingOut()
    {
        TrainingHarness harness("training=all");
        prepare(harness, 1);
        QVERIFY(harness.endsAs(TrainingEnd::Failed));
        VERIFY_CONTAINS(harness.snapshot().failure, "holds no samples out");
    }

    void refusesASplitThatLeavesLessThanABatch()
    {
        TrainingHarness harness;
        prepare(harness, 1);
        harness.options.data.heldOut = {.samples = 150};
        VERIFY_CONTAINS(test::errorOf([&] { harness.run(); }), "less than one batch of 64");
    }

    // The loss is a mean over samples, not over batches.
    void weightsASmallerLastBatchByItsSamples()
    {
        EvaluationRound round(10, 8);
        QCOMPARE(round.request().samples, 8);
        round.add({.batchSize = 8,
                   .microBatchSize = 4,
                   .accumulationSteps = 2,
                   .loss = 2.0,
                   .seconds = 1.0,
                   .samplesPerSecond = 8.0,
                   .tokensPerSecond = 80.0,
                   .peakReservedBytes = 5});
        QVERIFY(!round.isDone());
        QCOMPARE(round.request().first, 8);
        QCOMPARE(round.request().samples, 2);
        round.add({.batchSize = 2,
                   .microBatchSize = 2,
                   .accumulationSteps = 1,
                   .loss = 4.0,
                   .seconds = 0.25,
                   .samplesPerSecond = 8.0,
                   .tokensPerSecond = 80.0,
                   .peakReservedBytes = 3,
                   .attempts = 2});
        QVERIFY(round.isDone());
        const StepRecord record = round.record();
        QCOMPARE(record.loss, 2.4);
        QCOMPARE(record.samplesPerSecond, 8.0);
        QCOMPARE(record.tokensPerSecond, 80.0);
        QCOMPARE(record.microBatchSize, 4);
        QCOMPARE(record.peakReservedBytes, 5);
        QCOMPARE(record.attempts, 2);
    }
};

BATCHPEAK_TEST(TrainingEvaluationTest)
#include "tst_training_evaluation.moc"
