// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "files/trusted_code.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training_harness.h"

#include <QTest>

using namespace batchpeak;
using test::TrainingHarness;
using training::TrainingEnd;
using training::TrainingRun;

namespace {

/// Words of the fake worker for memory in which 19 samples fit.
const QString tightMemory = QStringLiteral("slope=100000000");

QString scheduleOf(TrainingHarness& harness)
{
    QStringList entries;
    for (const training::ScheduleEntry& entry : harness.snapshot().schedule)
        entries.append(QStringLiteral("%1 at %2: %3 of %4, %5 %6")
                           .arg(entry.epoch)
                           .arg(entry.step)
                           .arg(entry.microBatchSize)
                           .arg(entry.batchSize)
                           .arg(entry.increment)
                           .arg(training::toText(entry.decision)));
    return entries.join(QLatin1String("; "));
}

/// Returns a growth function that creates a file \p name in its folder. \p file makes its contents unique.
QByteArray growthThatWrites(const char* name, const QString& file)
{
    return "# " + file.toUtf8() + "\nopen('" + name +
           "', 'w').close()\ndef batch_increase_function(epoch, current_batch_size):\n    return 0\n";
}

} // namespace

/// Tests the search for the largest size before a training run, and batches that grow up to it.
class TrainingGrowthTest : public QObject
{
    Q_OBJECT

private slots:
    void trainsWithTheMaximum_data()
    {
        const auto add = rows<training::MaximumWay, bool, int, int, Text>();
        add("halving", {training::MaximumWay::Halving, false, 16, 16, "1: 64 in 4 x 16"});
        add("binary", {training::MaximumWay::Binary, false, 19, 16, "1: 64 in 4 x 16"});
        // Both sizes need four micro-batches.
        add("exact", {training::MaximumWay::Binary, true, 19, 19, "1: 64 in 4 x 16"});
        add("predict", {training::MaximumWay::Predict, false, 16, 16, "1: 64 in 4 x 16"});
    }
    void trainsWithTheMaximum()
    {
        const auto& [way, exact, measured, used, step] = row<training::MaximumWay, bool, int, int, Text>();
        TrainingHarness harness(tightMemory);
        harness.options.maximum = way;
        harness.options.exact = exact;
        harness.options.steps = 1;
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QVERIFY(harness.snapshot().maximum);
        QCOMPARE(harness.snapshot().maximum->measured, measured);
        QCOMPARE(harness.snapshot().maximum->used, used);
        QCOMPARE(harness.steps(), step);
        QCOMPARE(harness.snapshot().evaluationMicroBatchSize, 16);
        QCOMPARE(harness.snapshot().outOfMemoryEvents, harness.snapshot().maximum->outOfMemoryEvents);
        QCOMPARE(harness.signalsSeen(), QStringLiteral("started maximum device epoch step finished"));
        QVERIFY(harness.isNoWorkerLeft());
    }

    void endsWithTheSearch_data()
    {
        rows<Text, TrainingEnd, Text>(
            {{"nothing fits",
              {"slope=1950000000", TrainingEnd::NothingFits, "Not enough memory even for batch_size=1"}},
             {"no worker", {"start=refuse", TrainingEnd::Failed, "refuses to start"}}});
    }
    void endsWithTheSearch()
    {
        const auto& [words, end, said] = row<Text, TrainingEnd, Text>();
        TrainingHarness harness(words);
        harness.options.maximum = training::MaximumWay::Binary;
        QVERIFY2(harness.endsAs(end), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.snapshot().failure, said);
        QCOMPARE(harness.signalsSeen(), QStringLiteral("started finished"));
    }

    void stopsTheSearch()
    {
        TrainingHarness harness("trial=hang");
        harness.options.maximum = training::MaximumWay::Binary;
        harness.run().start();
        QCOMPARE(harness.snapshot().state, training::TrainingState::FindingMaximum);
        harness.run().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.snapshot().end == TrainingEnd::Interrupted);
    }

    void keepsTheStrictRule()
    {
        TrainingHarness harness(tightMemory);
        harness.options.maximum = training::MaximumWay::Binary;
        harness.options.exact = true;
        harness.options.strict = true;
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.snapshot().failure, "the strict rule refuses");
    }

    void growsFromEpochToEpoch_data()
    {
        const QString first = QStringLiteral("0 at 1: 8 of 64, 0 stays; ");
        const auto add = rows<Text, int, Text, int, Text>();
        add("grows up to the maximum",
            {"4", 8,
             first + QStringLiteral("1 at 5: 12 of 96, 4 changes; 2 at 7: 16 of 128, 4 changes; 3 at 9: 16 "
                                    "of 128, 4 passes_maximum"),
             10, "would pass the maximum, 19"});
        add("by epoch and size",
            {"epoch == 2 ? current_batch_size : 0", 8,
             first +
                 QStringLiteral(
                     "1 at 5: 8 of 64, 0 stays; 2 at 9: 16 of 128, 8 changes; 3 at 11: 16 of 128, 0 stays"),
             12, "Epoch 3: the micro-batch changes by 8 to 16"});
        add("shrinks", {"-4", 8,
                        first + QStringLiteral("1 at 5: 4 of 32, -4 changes; 2 at 13: 4 of 32, -4 "
                                               "leaves_nothing; 3 at 21: 4 of 32, -4 leaves_nothing"),
                        28, "would leave nothing of 4 samples"});
        add("fails",
            {"1 / (epoch - epoch)", 8,
             first + QStringLiteral(
                         "1 at 5: 8 of 64, 0 stays; 2 at 9: 8 of 64, 0 stays; 3 at 13: 8 of 64, 0 stays"),
             16, "Epoch 2: the batch stays as it is"});
        // Sixteen micro-batches of 16 use all the data.
        add("no more than the data", {"10", 4,
                                      "0 at 1: 4 of 64, 0 stays; 1 at 5: 14 of 224, 10 changes; 2 at 6: 14 "
                                      "of 224, 10 passes_maximum; 3 at 7: 14 of 224, 10 passes_maximum",
                                      7, "would pass the maximum, 16"});
    }
    void growsFromEpochToEpoch()
    {
        const auto& [growth, size, schedule, steps, said] = row<Text, int, Text, int, Text>();
        TrainingHarness harness(tightMemory);
        harness.options.run.setting = config::Fixed{.microBatchSize = size};
        harness.options.growth = growth;
        harness.options.data.samples = 256;
        harness.options.steps.reset();
        harness.options.epochs = 4;
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.log(), said);
        QCOMPARE(scheduleOf(harness), schedule);
        QCOMPARE(static_cast<int>(harness.snapshot().steps.size()), steps);
        QCOMPARE(harness.snapshot().run->steps, steps);
        QCOMPARE(harness.snapshot().run->batchSize, 64);
    }

    void shrinksASizeThatHasGrownTooFar()
    {
        TrainingHarness harness(tightMemory + QStringLiteral(" batch=oom@12"));
        harness.options.run.setting = config::Fixed{.microBatchSize = 8};
        harness.options.growth = QStringLiteral("epoch == 1 ? 4 : 6");
        harness.options.data.samples = 256;
        harness.options.steps.reset();
        harness.options.epochs = 3;
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(harness.changes(),
                 QStringLiteral("train 5: 8 to 12, growth; train 5: 12 to 6, out_of_memory"));
        // The batch keeps its grown size, and 6 + 6 samples are known not to fit.
        QCOMPARE(harness.steps(),
                 QStringLiteral("1: 64 in 8 x 8, 2: 64 in 8 x 8, 3: 64 in 8 x 8, 4: 64 in 8 x 8, "
                                "5: 96 in 16 x 6, 6: 96 in 16 x 6, 7: 96 in 16 x 6, 8: 96 in 16 x 6"));
        VERIFY_CONTAINS(harness.log(), "would pass the maximum, 11");
    }

    void refusesTheGrowthOfAConfigUntilTrusted_data()
    {
        rows<Text>({{"as it is named", "%1"}, {"a blank behind it", "%1 "}, {"blanks around it", "\t%1\n"}});
    }
    void refusesTheGrowthOfAConfigUntilTrusted()
    {
        const auto& written = row<Text>();
        TrainingHarness asked(tightMemory);
        const QString file = asked.path(QStringLiteral("grow.py"));
        test::writeFile(file, growthThatWrites("ran", file));
        asked.contents.training.batchIncreaseFunction = written.arg(file).toStdString();
        QVERIFY_THROWS_EXCEPTION(engine::UntrustedCode, asked.run());

        TrainingHarness trusting(tightMemory);
        trusting.contents = asked.contents;
        trusting.options.run.trustsCode = true;
        trusting.options.run.setting = config::Fixed{.microBatchSize = 16};
        trusting.options.data.samples = 128;
        trusting.options.steps.reset();
        trusting.options.epochs = 2;
        QVERIFY2(trusting.endsAs(TrainingEnd::Completed), qPrintable(trusting.log()));
        QVERIFY(QFile::exists(asked.path(QStringLiteral("ran"))));
    }

    void refusesAChangedGrowthFunction()
    {
        TrainingHarness harness(tightMemory);
        const QString file = harness.path(QStringLiteral("grow.py"));
        // After a failure, a new process runs the function.
        test::writeFile(
            file, "# " + file.toUtf8() +
                      "\ndef batch_increase_function(epoch, current_batch_size):\n    raise ValueError\n");
        harness.contents.training.batchIncreaseFunction = file.toStdString();
        harness.options.run.trustsCode = true;
        harness.options.run.setting = config::Fixed{.microBatchSize = 16};
        harness.options.data.samples = 128;
        harness.options.steps.reset();
        harness.options.epochs = 3;
        engine::onEvent<training::EpochBegan>(harness.run(), this, [&](const training::EpochBegan& began) {
            if (began.entry.epoch == 1)
                test::writeFile(harness.path(QStringLiteral("beside.py")), "import os\n");
        });
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.log(),
                        "grow.py is not what was let run any more, or a Python file beside it");
    }

    void refusesAnInvalidExpression()
    {
        TrainingHarness harness;
        harness.options.growth = QStringLiteral("epoch +");
        QVERIFY_THROWS_EXCEPTION(config::ConfigError, harness.run());
    }
};

BATCHPEAK_TEST(TrainingGrowthTest)
#include "tst_training_growth.moc"
