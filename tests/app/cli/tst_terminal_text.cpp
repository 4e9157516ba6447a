// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/words/exploration_text.h"
#include "cli/words/terminal_text.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <vector>

using namespace batchpeak;
using namespace batchpeak::cli;

namespace {

engine::Snapshot finishedSnapshot()
{
    engine::Snapshot snapshot;
    snapshot.state = engine::State::Finished;
    snapshot.run = engine::RunDescription{.filePath = QStringLiteral("gpt.yaml"),
                                          .formatName = QStringLiteral("Cerebras params"),
                                          .family = QStringLiteral("gpt2"),
                                          .parameters = 124439808,
                                          .sequenceLength = 128,
                                          .plan = {.globalBatchSize = 528, .devices = 2}};
    snapshot.devices = {{.limitBytes = std::int64_t{8} << 30}, {.limitBytes = std::int64_t{6} << 30}};
    snapshot.searchState.recommendation = search::Recommendation{.size = 96,
                                                                 .samplesPerSecond = 2115.4,
                                                                 .relativeError = 0.01,
                                                                 .relativePerformance = 1.204,
                                                                 .confidence = 95};
    snapshot.recommendedPeakBytes = std::int64_t{3} << 30;
    snapshot.accumulationSteps = 3;
    snapshot.reason = QStringLiteral("96 is 3 % faster than 64.");
    snapshot.finish = engine::FinishStatus::Confident;
    snapshot.elapsedSeconds = 72;
    return snapshot;
}

/// Returns the live line as a wide terminal shows it.
QString liveText(const engine::Snapshot& snapshot)
{
    return fitted(liveLine(snapshot), 200).plain();
}

} // namespace

class TerminalTextTest : public QObject
{
    Q_OBJECT

private slots:
    void formatsNumbers_data()
    {
        rows<QString, std::string>(
            {{"count", {groupedText(124439808), "124,439,808"}},
             {"bytes", {bytesText(512), "512 B"}},
             {"gibibytes", {bytesText(std::int64_t{3} << 29), "1.50 GiB"}},
             {"hundreds of mebibytes", {bytesText(std::int64_t{800} << 20), "800 MiB"}},
             {"fast", {rateText(2115.4), "2,115"}},
             {"slow", {rateText(0.04512), "0.0451"}},
             {"no rate", {rateText(0), "0"}},
             {"loss", {lossText(7.62412), "7.6241"}},
             {"loss beyond reason", {lossText(1e308), "1.0000E+308"}},
             {"seconds", {durationText(44.6), "45 s"}},
             {"minutes", {durationText(72), "1 min 12 s"}},
             {"hours", {durationText(7500), "2 h 5 min"}},
             {"percent", {percentText(0.08), "8 %"}}});
    }
    void formatsNumbers()
    {
        const auto& [written, expected] = row<QString, std::string>();
        QCOMPARE(written.toStdString(), expected);
    }

    void formatsARecommendationLikeTheCompiler()
    {
        const QDateTime noonInBerlin(QDate(2026, 6, 1), QTime(12, 4, 5), Qt::OffsetFromUTC, 7200);
        const search::Recommendation recommendation{.size = 2, .relativePerformance = 1.2, .confidence = 45};
        const auto line =
            QStringLiteral("BEXP202 10:04:05 GMT  Current recommended micro_batch_size: 2, estimated "
                           "performance: 1.20x base, confidence score: 45 (out of 100)");
        QCOMPARE(recommendationLine(noonInBerlin, recommendation, {}), line);
        config::Fidelity fidelity;
        fidelity.addReason("packed samples");
        QCOMPARE(recommendationLine(noonInBerlin, recommendation, fidelity),
                 line + QStringLiteral("; approximate"));
    }

    void findsGlobalBatchSizesThatFit_data()
    {
        rows<int, int, std::vector<std::int64_t>>({{"fits already", {512, 64, {512}}},
                                                   {"between two", {528, 96, {384, 576}}},
                                                   {"none below", {100, 64, {128}}}});
    }
    void findsGlobalBatchSizesThatFit()
    {
        const auto& [batch, size, expected] = row<int, int, std::vector<std::int64_t>>();
        QCOMPARE(nearestGlobalBatchSizes({.globalBatchSize = batch, .devices = 2}, size), expected);
    }

    void summarizesTheExploration()
    {
        const QString text = finalLines(finishedSnapshot()).join(QLatin1Char('\n'));
        for (const QString& part :
             {QStringLiteral("micro_batch_size: 96"), QStringLiteral("2,115 ± 21.2, 1.20x base"),
              QStringLiteral("3.00 GiB of 6.00 GiB (8 % kept free)"),
              QStringLiteral("3 at batch_size 528 on 2 devices"), QStringLiteral("95 (out of 100)"),
              QStringLiteral("96 is 3 % faster than 64."),
              QStringLiteral("multiples of 192 (yours: 528; nearest: 384 and 576)"),
              QStringLiteral("1 min 12 s")})
            QVERIFY2(text.contains(part), qPrintable(part + QLatin1Char('\n') + text));
    }

    void reportsTheExpectedLoss()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        snapshot.searchState.recommendation->expectedLoss = 0.008;
        snapshot.searchState.continuation = {.size = 96, .rival = 88, .seconds = 2400.0, .maxGain = 0.009};
        const QString sure = finalLines(snapshot).join(QLatin1Char('\n'));
        QVERIFY2(sure.contains(QStringLiteral("95 (out of 100), expected loss 0.8 %")), qPrintable(sure));
        QVERIFY2(!sure.contains(QStringLiteral("ontinuing")), qPrintable(sure));
        snapshot.finish = engine::FinishStatus::Exhausted;
        const QString open = finalLines(snapshot).join(QLatin1Char('\n'));
        QVERIFY2(open.contains(QStringLiteral("no further trial is worth its time, after")),
                 qPrintable(open));
        QVERIFY2(open.contains(QStringLiteral("Continuing could gain up to 0.9 % (88 may be faster)")),
                 qPrintable(open));
    }

    void namesSizesAsTheTrainerDoes()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        snapshot.run->modelSource = QStringLiteral("gpt2");
        snapshot.run->plan = {.globalBatchSize = 32,
                              .setting = config::Explore{},
                              .presentSize = 16,
                              .knowsDevices = false,
                              .isOverAllDevices = false,
                              .microBatchKey = "per_device_train_batch_size",
                              .globalBatchKey = "per_device_train_batch_size * gradient_accumulation_steps"};
        const QString first = introductionLines(*snapshot.run).join(QLatin1Char('\n'));
        QVERIFY2(first.contains(QStringLiteral("gpt2, 124,439,808 parameters, from gpt2")),
                 qPrintable(first));
        QVERIFY2(
            first.contains(QStringLiteral("per_device_train_batch_size * gradient_accumulation_steps = 32 "
                                          "on one device, per_device_train_batch_size: 16 now")),
            qPrintable(first));
        const QString last = finalLines(snapshot).join(QLatin1Char('\n'));
        QVERIFY2(last.contains(QStringLiteral("per_device_train_batch_size: 96")), qPrintable(last));
        QVERIFY2(last.contains(QStringLiteral(
                     "3 at per_device_train_batch_size * gradient_accumulation_steps = 32 on one device")),
                 qPrintable(last));
    }

    void leavesTheNumberOfDevicesToTheLauncher()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        snapshot.run->plan = {.globalBatchSize = 256,
                              .setting = config::Auto{},
                              .knowsDevices = false,
                              .microBatchKey = "device_train_microbatch_size",
                              .globalBatchKey = "global_train_batch_size"};
        const QString first = introductionLines(*snapshot.run).join(QLatin1Char('\n'));
        QVERIFY2(first.contains(QStringLiteral("global_train_batch_size 256 over all devices")),
                 qPrintable(first));
        const QString last = finalLines(snapshot).join(QLatin1Char('\n'));
        QVERIFY2(
            last.contains(QStringLiteral("3 on one device, at global_train_batch_size 256 over all devices")),
            qPrintable(last));
    }

    void omitsTheBatchIfItIsTheSize()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        snapshot.run->plan = {.globalBatchSize = 8,
                              .setting = config::Explore{},
                              .presentSize = 8,
                              .microBatchKey = "eval_batch_size",
                              .globalBatchKey = "eval_batch_size"};
        const QString last = finalLines(snapshot).join(QLatin1Char('\n'));
        QVERIFY2(last.contains(QStringLiteral("eval_batch_size: 96")), qPrintable(last));
        QVERIFY2(!last.contains(QStringLiteral("accumulation")), qPrintable(last));
        QVERIFY2(!last.contains(QStringLiteral("valid batch sizes")), qPrintable(last));
    }

    void reportsWhyThereIsNoRecommendation()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        snapshot.searchState.recommendation.reset();
        snapshot.failure = QStringLiteral("Nothing fits.");
        QCOMPARE(finalLines(snapshot), QStringList{QStringLiteral("Nothing fits.")});
        snapshot.failure.clear();
        QVERIFY(finalLines(snapshot).join(QString()).contains(QStringLiteral("no recommendation")));
    }

    void showsTheProgressOfTheExploration()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        QVERIFY(liveLine(snapshot).isEmpty());
        snapshot.state = engine::State::Exploring;
        snapshot.progress = 0.425;
        snapshot.searchState.expectedTrials = 18;
        snapshot.timeLeft = search::Estimate{.likely = 72.0, .low = 43.2, .high = 122.4};
        snapshot.trials = {{.number = 1, .microBatchSize = 64, .outcome = trial::Outcome::Ok},
                           {.number = 2, .microBatchSize = 96, .samplesPerSecond = 2115.4}};
        QCOMPARE(
            liveText(snapshot),
            QStringLiteral("██████████░░░░░░░░░░░░░░  42 %  trial 2 of about 18  size 96  2,115 samples/s  "
                           "best 96 (95 %)  about 70 s left  (40 s to 2 min)"));
        snapshot.trials.back() = {.number = 2, .compared = {{.microBatchSize = 64}, {.microBatchSize = 96}}};
        snapshot.stalledSeconds = 12;
        snapshot.searchState.recommendation.reset();
        QCOMPARE(liveText(snapshot), QStringLiteral("██████████░░░░░░░░░░░░░░  42 %  trial 2 of about 18  "
                                                    "comparing 64 and 96  stalled 12 s"));
    }

    void reportsTheChoiceOfASizeOnlyIfItTakesLong()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        snapshot.searchState.recommendation.reset();
        snapshot.state = engine::State::Exploring;
        snapshot.progress = 0.425;
        snapshot.trials = {{.number = 1, .microBatchSize = 64, .outcome = trial::Outcome::Ok}};
        snapshot.searchState.expectedTrials = 0;
        QVERIFY(liveText(snapshot).endsWith(QStringLiteral(" 42 %")));
        snapshot.thinkingSeconds = 0.04;
        QVERIFY(liveText(snapshot).endsWith(QStringLiteral(" 42 %  trial 1  size 64")));
        snapshot.thinkingSeconds = 3.0;
        QVERIFY(liveText(snapshot).endsWith(QStringLiteral(" 42 %  choosing the next size")));
    }

    void comparesWithTheSizeOfTheConfig()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        snapshot.run->plan.presentSize = 24;
        snapshot.trials = {{.number = 1, .microBatchSize = 24, .outcome = trial::Outcome::Ok}};
        snapshot.searchState.curve = {{.size = 24, .samplesPerSecond = 1000.0},
                                      {.size = 96, .samplesPerSecond = 2100.0}};
        const QString text = finalLines(snapshot).join(QLatin1Char('\n'));
        QVERIFY2(text.contains(QStringLiteral("2,115 ± 21.2, 1.20x base, 2.10x the config's 24")),
                 qPrintable(text));
    }

    void describesATrial_data()
    {
        trial::TrialRecord ran{.number = 3,
                               .device = "cpu",
                               .microBatchSize = 8,
                               .outcome = trial::Outcome::Ok,
                               .samplesPerSecond = 1234.4,
                               .relativeError = 0.01,
                               .peakReservedBytes = std::int64_t{3} << 29,
                               .wallSeconds = 2};
        trial::TrialRecord repeated = ran;
        repeated.joulesPerSample = 0.0421;
        repeated.flags = {"repetition"};
        trial::TrialRecord thrashing = ran;
        thrashing.withinHeadroom = false;
        thrashing.flags = {"thrashes"};
        const trial::TrialRecord tooLarge{
            .number = 4, .device = "cuda:0", .microBatchSize = 16, .outcome = trial::Outcome::OutOfMemory};
        trial::TrialRecord compared{
            .number = 9,
            .device = "cpu",
            .compared = {{.microBatchSize = 24, .visits = {{0.0, 100.0}, {3.0, 100.0}}},
                         {.microBatchSize = 28, .visits = {{1.0, 101.3}, {2.0, 101.3}}}},
            .visits = 2,
            .outcome = trial::Outcome::Ok,
            .wallSeconds = 12};
        trial::TrialRecord endedEarly = compared;
        endedEarly.microBatchSize = 28;
        endedEarly.outcome = trial::Outcome::OutOfMemory;
        const std::string beginning = "trial 3 on cpu: size 8, 1,234 ± 12.3 samples/s, peak 1.50 GiB, ";
        rows<trial::TrialRecord, std::string>(
            {{"ran", {ran, beginning + "2 s"}},
             {"repeated, with its energy", {repeated, beginning + "42.1 mJ/sample, repetition, 2 s"}},
             {"ran, but not well", {thrashing, beginning + "within the headroom, thrashes, 2 s"}},
             {"compared",
              {compared,
               "trial 9 on cpu: compared 24 and 28 in 2 visits each: 28 is 1.3 % faster than 24, 12 s"}},
             {"compared until one did not fit",
              {endedEarly, "trial 9 on cpu: comparing 24 and 28 ended at 28, out of memory, 12 s"}},
             {"did not fit", {tooLarge, "trial 4 on cuda:0: size 16, out of memory, 0 s"}}});
    }
    void describesATrial()
    {
        const auto& [trial, expected] = row<trial::TrialRecord, std::string>();
        QCOMPARE(trialLine(trial, {}).toStdString(), expected);
    }

    void alignsColumns()
    {
        QCOMPARE(alignedLines({{QStringLiteral("a"), QStringLiteral("bb"), QString()},
                               {QStringLiteral("ccc"), QStringLiteral("d"), QStringLiteral("e")}}),
                 (QStringList{QStringLiteral("a    bb"), QStringLiteral("ccc  d   e")}));
    }

    void reportsUnusedMemoryOfLargerDevices()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        QVERIFY(!finalLines(snapshot).join(QLatin1Char('\n')).contains(QLatin1String("unused memory")));
        snapshot.devices = {{.id = QStringLiteral("cuda:0"), .usableBytes = std::int64_t{4} << 30},
                            {.id = QStringLiteral("cuda:1"), .usableBytes = std::int64_t{8} << 30}};
        snapshot.searchState.recommendation->reason.kind = search::Reason::Kind::MemoryEnds;
        const QStringList unused = finalLines(snapshot).filter(QStringLiteral("unused memory"));
        QCOMPARE(unused.size(), 1);
        QVERIFY2(unused.first().contains(QLatin1String("5.0 GiB of cuda:1")), qPrintable(unused.first()));
    }
};

BATCHPEAK_TEST(TerminalTextTest)
#include "tst_terminal_text.moc"
