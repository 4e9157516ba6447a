// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/snapshot_text.h"
#include "cli/terminal_text.h"
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

} // namespace

class TerminalTextTest : public QObject
{
    Q_OBJECT

private slots:
    void writesNumbersInOneWay_data()
    {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("expected");
        QTest::newRow("count") << groupedText(124439808) << QStringLiteral("124,439,808");
        QTest::newRow("bytes") << bytesText(512) << QStringLiteral("512 B");
        QTest::newRow("gibibytes") << bytesText(std::int64_t{3} << 29) << QStringLiteral("1.50 GiB");
        QTest::newRow("hundreds of mebibytes")
            << bytesText(std::int64_t{800} << 20) << QStringLiteral("800 MiB");
        QTest::newRow("fast") << rateText(2115.4) << QStringLiteral("2,115");
        QTest::newRow("slow") << rateText(0.04512) << QStringLiteral("0.0451");
        QTest::newRow("no rate") << rateText(0) << QStringLiteral("0");
        QTest::newRow("seconds") << durationText(44.6) << QStringLiteral("45 s");
        QTest::newRow("minutes") << durationText(72) << QStringLiteral("1 min 12 s");
        QTest::newRow("hours") << durationText(7500) << QStringLiteral("2 h 5 min");
        QTest::newRow("percent") << percentText(0.08) << QStringLiteral("8 %");
    }
    void writesNumbersInOneWay()
    {
        QFETCH(QString, written);
        QFETCH(QString, expected);
        QCOMPARE(written, expected);
    }

    void wordsARecommendationAsTheCompilerDoes()
    {
        const QDateTime noonInBerlin(QDate(2026, 6, 1), QTime(12, 4, 5), Qt::OffsetFromUTC, 7200);
        const search::Recommendation recommendation{.size = 2, .relativePerformance = 1.2, .confidence = 45};
        QCOMPARE(recommendationLine(noonInBerlin, recommendation),
                 QStringLiteral("BEXP202 10:04:05 GMT  Current recommended micro_batch_size: 2, estimated "
                                "performance: 1.20x base, confidence score: 45 (out of 100)"));
    }

    void findsGlobalBatchSizesThatFit_data()
    {
        using Sizes = std::vector<std::int64_t>;
        QTest::addColumn<qint64>("batch");
        QTest::addColumn<qint64>("devices");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<Sizes>("expected");
        QTest::newRow("fits already") << qint64{512} << qint64{2} << qint64{64} << Sizes{512};
        QTest::newRow("between two") << qint64{528} << qint64{2} << qint64{96} << Sizes{384, 576};
        QTest::newRow("none below") << qint64{100} << qint64{2} << qint64{64} << Sizes{128};
    }
    void findsGlobalBatchSizesThatFit()
    {
        QFETCH(qint64, batch);
        QFETCH(qint64, devices);
        QFETCH(qint64, size);
        QFETCH(std::vector<std::int64_t>, expected);
        QCOMPARE(nearestGlobalBatchSizes({.globalBatchSize = batch, .devices = devices}, size), expected);
    }

    void saysWhatTheExplorationFound()
    {
        const QString text = finalLines(finishedSnapshot()).join(QLatin1Char('\n'));
        for (const QString& part :
             {QStringLiteral("micro_batch_size: 96"), QStringLiteral("2,115 ± 21.2, 1.20x base"),
              QStringLiteral("3.00 GiB of 6.00 GiB (8 % kept free)"),
              QStringLiteral("3 at batch_size 528 on 2 devices"), QStringLiteral("95 (out of 100)"),
              QStringLiteral("96 is 3 % faster than 64."),
              QStringLiteral("multiples of 192; nearest to your 528: 384 and 576"),
              QStringLiteral("1 min 12 s")})
            QVERIFY2(text.contains(part), qPrintable(part + QLatin1Char('\n') + text));
    }

    void namesSizesAsTheTrainerDoes()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        snapshot.run->modelSource = QStringLiteral("gpt2");
        snapshot.run->plan = {.globalBatchSize = 32,
                              .setting = config::Explore{},
                              .presentSize = 16,
                              .knowsDevices = false,
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

    void namesNoBatchBesideASizeThatIsTheBatch()
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
        QVERIFY2(!last.contains(QStringLiteral("batch sizes that fit")), qPrintable(last));
    }

    void saysWhyThereIsNoRecommendation()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        snapshot.searchState.recommendation.reset();
        snapshot.failure = QStringLiteral("Nothing fits.");
        QCOMPARE(finalLines(snapshot), QStringList{QStringLiteral("Nothing fits.")});
        snapshot.failure.clear();
        QVERIFY(finalLines(snapshot).join(QString()).contains(QStringLiteral("no recommendation")));
    }

    void tellsWhereTheExplorationStands()
    {
        engine::Snapshot snapshot = finishedSnapshot();
        QVERIFY(liveLine(snapshot).isEmpty());
        snapshot.state = engine::State::Exploring;
        snapshot.progress = 0.425;
        snapshot.searchState.expectedTrials = 18;
        snapshot.secondsLeft = 72;
        snapshot.trials = {{.number = 1, .microBatchSize = 64, .outcome = trial::Outcome::Ok},
                           {.number = 2, .microBatchSize = 96}};
        QCOMPARE(liveLine(snapshot),
                 QStringLiteral("42 %, trial 2 of about 18: size 96, about 1 min 12 s left"));
        snapshot.stalledSeconds = 12;
        QVERIFY(liveLine(snapshot).endsWith(QStringLiteral("stalled 12 s")));
    }

    void wordsATrial_data()
    {
        QTest::addColumn<trial::TrialRecord>("trial");
        QTest::addColumn<QString>("expected");
        trial::TrialRecord trial{.number = 3,
                                 .device = "cpu",
                                 .microBatchSize = 8,
                                 .outcome = trial::Outcome::Ok,
                                 .samplesPerSecond = 1234.4,
                                 .relativeError = 0.01,
                                 .peakReservedBytes = std::int64_t{3} << 29,
                                 .wallSeconds = 2};
        QTest::newRow("ran") << trial
                             << QStringLiteral(
                                    "trial 3 on cpu: size 8, 1,234 ± 12.3 samples/s, peak 1.50 GiB, 2 s");
        trial::TrialRecord measured = trial;
        measured.joulesPerSample = 0.0421;
        measured.flags = {"repetition"};
        QTest::newRow("repeated, with its energy")
            << measured
            << QStringLiteral(
                   "trial 3 on cpu: size 8, 1,234 ± 12.3 samples/s, peak 1.50 GiB, 42.1 mJ/sample, "
                   "repetition, 2 s");
        trial.withinHeadroom = false;
        trial.flags = {"thrashes"};
        QTest::newRow("ran, but not well")
            << trial
            << QStringLiteral(
                   "trial 3 on cpu: size 8, 1,234 ± 12.3 samples/s, peak 1.50 GiB, within the headroom, "
                   "thrashes, 2 s");
        QTest::newRow("did not fit") << trial::TrialRecord{.number = 4,
                                                           .device = "cuda:0",
                                                           .microBatchSize = 16,
                                                           .outcome = trial::Outcome::OutOfMemory}
                                     << QStringLiteral("trial 4 on cuda:0: size 16, out of memory, 0 s");
    }
    void wordsATrial()
    {
        QFETCH(trial::TrialRecord, trial);
        QFETCH(QString, expected);
        QCOMPARE(trialLine(trial), expected);
    }

    void alignsColumns()
    {
        QCOMPARE(alignedLines({{QStringLiteral("a"), QStringLiteral("bb"), QString()},
                               {QStringLiteral("ccc"), QStringLiteral("d"), QStringLiteral("e")}}),
                 (QStringList{QStringLiteral("a    bb"), QStringLiteral("ccc  d   e")}));
    }
};

BATCHPEAK_TEST(TerminalTextTest)
#include "tst_terminal_text.moc"
