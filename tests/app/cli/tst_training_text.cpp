// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/words/training_text.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>
#include <limits>

using namespace batchpeak;
using namespace batchpeak::cli;
using training::TrainingSnapshot;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

training::StepRecord step(std::int64_t number, double loss)
{
    return {.step = number,
            .epoch = 1,
            .batchSize = 256,
            .microBatchSize = 32,
            .accumulationSteps = 8,
            .loss = loss,
            .seconds = 0.5,
            .samplesPerSecond = 512,
            .tokensPerSecond = 65536,
            .peakReservedBytes = 200 * mebibyte + number * mebibyte};
}

training::TrainingDescription description()
{
    return {.run = {.filePath = QStringLiteral("gpt.yaml"),
                    .formatName = QStringLiteral("Cerebras params"),
                    .family = QStringLiteral("gpt2"),
                    .parameters = 1071872,
                    .sequenceLength = 128,
                    .plan = {.globalBatchSize = 256, .setting = config::Explore{}}},
            .data = QStringLiteral("synthetic, 4,096 samples an epoch"),
            .halvesAutomatically = true,
            .batchSize = 256,
            .steps = 20};
}

TrainingSnapshot trainedSnapshot()
{
    TrainingSnapshot snapshot{.state = training::TrainingState::Training, .run = description()};
    snapshot.device.limitBytes = 300 * mebibyte;
    snapshot.steps = {step(4, 7.62411), step(6, 6.5), step(5, 6.91234)};
    snapshot.steps.back().step = 7;
    snapshot.samplesPerSecond = 500;
    snapshot.outOfMemoryEvents = 3;
    snapshot.elapsedSeconds = 72;
    snapshot.secondsLeft = 12;
    return snapshot;
}

using Change = std::function<void(training::TrainingDescription&)>;

} // namespace

/// Tests the terminal's texts about a training run.
class TrainingTextTest : public QObject
{
    Q_OBJECT

private slots:
    void introducesARun()
    {
        const QStringList lines = introductionLines(description());
        const QString text = lines.join(QLatin1Char('\n'));
        for (const char* part :
             {"config       gpt.yaml (Cerebras params)", "network      gpt2, 1,071,872 parameters",
              "run          train, fp32, adamw, sequence length 128, learning rate 0.0003",
              "batch        batch_size 256 on 1 device", "micro-batch  automatic halving, from 256",
              "data         synthetic, 4,096 samples an epoch", "loss         weighted by samples",
              "steps        20"})
            QVERIFY2(lines.contains(QString::fromUtf8(part)), qPrintable(text));
    }

    void describesHowTheSizeIsFound_data()
    {
        using training::MaximumWay;
        rows<Change, const char*>(
            {{"a number",
              {[](auto& t) { t.run.plan.setting = config::Fixed{24}; }, "micro-batch  micro_batch_size: 24"}},
             {"the batch whole",
              {[](auto& t) { t.run.plan.setting = config::Whole{}; }, "micro-batch  micro_batch_size: null"}},
             {"halving first",
              {[](auto& t) { t.maximum = MaximumWay::Halving; },
               "micro-batch  the largest that fits, by halving"}},
             {"binary search",
              {[](auto& t) { t.maximum = MaximumWay::Binary; },
               "micro-batch  the largest that fits, by binary search"}},
             {"prediction",
              {[](auto& t) { t.maximum = MaximumWay::Predict; },
               "micro-batch  the largest that fits, by prediction from the memory of sizes 1 and 2"}},
             {"a share of the batch",
              {[](auto& t) {
                   t.run.plan.devices = 2;
                   t.batchSize = 128;
               },
               "batch        batch_size 256 on 2 devices, 128 of them on this one"}},
             {"growth",
              {[](auto& t) {
                   t.growth = QStringLiteral("epoch < 3 ? 4 : 0");
                   t.maximum = MaximumWay::Binary;
               },
               "growth       epoch < 3 ? 4 : 0, up to the largest that fits, by binary search"}},
             {"tokens",
              {[](auto& t) { t.weighting = trial::LossWeighting::Tokens; },
               "loss         weighted by tokens"}},
             {"resumed", {[](auto& t) { t.firstStep = 3; }, "steps        20, of which 3 are done"}},
             {"resumed with an unknown length",
              {[](auto& t) {
                   t.steps = 0;
                   t.firstStep = 3;
               },
               "steps        determined by the data; 3 are done"}},
             {"unknown length", {[](auto& t) { t.steps = 0; }, "steps        determined by the data"}}});
    }
    void describesHowTheSizeIsFound()
    {
        const auto& [change, line] = row<Change, const char*>();
        training::TrainingDescription training = description();
        training.halvesAutomatically = false;
        change(training);
        const QStringList lines = introductionLines(training);
        QVERIFY2(lines.contains(QLatin1String(line)), qPrintable(lines.join(QLatin1Char('\n'))));
    }

    void formatsEachStepInOneLine()
    {
        QCOMPARE(stepLine(step(12, 7.62411), 20, {}),
                 QStringLiteral("step 12 of 20, epoch 2: loss 7.6241, 512 samples/s, 65,536 tokens/s, "
                                "micro-batch 32 x 8, peak 212 MiB"));
        training::StepRecord diverged = step(1200, std::numeric_limits<double>::quiet_NaN());
        diverged.tokensPerSecond = 0;
        diverged.peakReservedBytes = 0;
        QCOMPARE(stepLine(diverged, 0, {}), QStringLiteral("step 1,200, epoch 2: loss NaN, 512 samples/s, "
                                                           "micro-batch 32 x 8"));
        config::Fidelity fidelity;
        fidelity.addReason("packed samples");
        const QString marked = stepLine(step(12, 7.62411), 20, fidelity);
        QVERIFY2(marked.contains(QStringLiteral(", ~512 samples/s")) &&
                     marked.contains(QStringLiteral("peak ~212 MiB")),
                 qPrintable(marked));
        QVERIFY(evaluationLine(step(10, 7.5), false, {})
                    .startsWith(QStringLiteral("evaluation after step 10: loss 7.5000")));
        QVERIFY(evaluationLine(step(10, 7.5), true, {})
                    .startsWith(QStringLiteral("evaluation of held-out samples after step 10: loss 7.5000")));
    }

    void showsTheProgressOfTheRun_data()
    {
        using training::TrainingState;
        const auto in = [](TrainingState state) {
            return TrainingSnapshot{.state = state, .run = description()};
        };
        TrainingSnapshot first = in(TrainingState::Training);
        first.microBatchesDone = 5;
        TrainingSnapshot later = trainedSnapshot();
        later.microBatchesDone = 5;
        rows<TrainingSnapshot, QString>(
            {{"idle", {in(TrainingState::Idle), {}}},
             {"starting",
              {in(TrainingState::Starting), QStringLiteral("starting the worker and loading the network")}},
             {"maximum",
              {in(TrainingState::FindingMaximum),
               QStringLiteral("looking for the largest micro-batch that fits")}},
             {"saving", {in(TrainingState::Saving), QStringLiteral("writing a checkpoint")}},
             {"first step",
              {first, QStringLiteral("░░░░░░░░░░░░░░░░░░░░░░░░   0 %  step 1 of 20  5 micro-batches done")}},
             {"later",
              {later,
               QStringLiteral("████████░░░░░░░░░░░░░░░░  35 %  step 7 of 20  loss 6.9123  512 samples/s  "
                              "micro-batch 32 x 8  5 micro-batches of the next done  "
                              "about 12 s left")}},
             {"finished", {in(TrainingState::Finished), {}}}});
    }
    void showsTheProgressOfTheRun()
    {
        const auto& [snapshot, line] = row<TrainingSnapshot, QString>();
        QCOMPARE(fitted(liveLine(snapshot), 200).plain(), line);
    }

    void summarizesARun()
    {
        TrainingSnapshot snapshot = trainedSnapshot();
        snapshot.end = training::TrainingEnd::Interrupted;
        snapshot.evaluations = {step(6, 6.75)};
        snapshot.checkpoint = QStringLiteral("/runs/step-000007");
        const QStringList lines = finalLines(snapshot);
        for (const char* part :
             {"trained        steps 4 to 7 of 20, 768 samples, then it was interrupted",
              "loss           7.6241 at step 4, 6.9123 at step 7",
              "speed          500 samples/s, 64,000 tokens/s",
              "micro-batch    micro_batch_size: 32, 8 accumulation steps for a batch of 256",
              "peak memory    206 MiB of 300 MiB", "out of memory  3 times",
              "evaluation     loss 6.7500 after step 6, micro-batch 32", "time           1 min 12 s",
              "checkpoint     /runs/step-000007", "to continue    --resume /runs/step-000007"})
            QVERIFY2(lines.contains(QString::fromUtf8(part)), qPrintable(lines.join(QLatin1Char('\n'))));
    }

    void comparesTheMaximumWithTheRecommendation()
    {
        TrainingSnapshot snapshot = trainedSnapshot();
        snapshot.maximum = training::MaximumFound{.way = training::MaximumWay::Binary,
                                                  .measured = 24,
                                                  .used = 16,
                                                  .trials = 5,
                                                  .outOfMemoryEvents = 3,
                                                  .seconds = 12,
                                                  .recommended = 20};
        QVERIFY(finalLines(snapshot).contains(QStringLiteral(
            "largest that fits  24, by binary search (5 trials, 3 out of memory, 12 s); trained "
            "with 16, a power of two; the exploration recommends 20")));
        snapshot.run->growth = QStringLiteral("4");
        QVERIFY(finalLines(snapshot).contains(
            QStringLiteral("largest that fits  24, by binary search (5 trials, 3 out of memory, 12 s); the "
                           "exploration recommends 20")));
        snapshot.run->growth.clear();
        snapshot.maximum->used = 24;
        snapshot.maximum->recommended = 0;
        QVERIFY(finalLines(snapshot).contains(QStringLiteral(
            "largest that fits  24, by binary search (5 trials, 3 out of memory, 12 s); no exploration has "
            "recommended a size yet")));
    }

    void printsNothingIfNothingWasMeasured()
    {
        QVERIFY(finalLines(TrainingSnapshot{.run = description()}).isEmpty());
    }

    void printsAboutAHundredOfAMillionSteps()
    {
        int lines = 0;
        for (std::int64_t number = 1; number <= 1'000'000; ++number)
            lines += deservesALine(number) ? 1 : 0;
        QCOMPARE(lines, 20 + 16 + 4 * 18);
        for (std::int64_t number = 1; number <= 20; ++number)
            QVERIFY(deservesALine(number));
        QVERIFY(deservesALine(100) && deservesALine(150) && !deservesALine(101) && !deservesALine(1050));
    }
};

BATCHPEAK_TEST(TrainingTextTest)
#include "tst_training_text.moc"
