// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_report.h"

#include "bench_interval.h"
#include "explorer_process.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>
#include <string>
#include <vector>

namespace {

/// Returns visits to sizes 1, 2, 4 and 8 in six rounds. The largest is by far the fastest, with 100
/// samples/s.
LiveRecord plainRecord()
{
    LiveRecord record{.name = "plain", .answers = {1, 2, 4, 8}};
    double clock = 0.0;
    for (int round = 1; round <= 6; ++round) {
        for (const std::int64_t size : record.answers) {
            const double seconds =
                (0.03 + 0.00625 * static_cast<double>(size)) * (1.0 + 0.002 * (round % 2 == 0 ? 1 : -1));
            record.visits.push_back({.round = round,
                                     .size = size,
                                     .clockSeconds = clock,
                                     .typicalSeconds = seconds,
                                     .meanSeconds = seconds,
                                     .relativeError = 0.001});
            clock += 1.0;
        }
    }
    return record;
}

LiveExploration explorationOf(std::int64_t size, double stated)
{
    return {.size = size,
            .stated = stated,
            .samplesPerSecond = 100.0,
            .relativeError = 0.01,
            .trials = 12,
            .seconds = 20.0};
}

struct Verdict
{
    int count = 0;
    double within = 0.0;
    double stated = 0.0;
    double perfect = 100.0;
    std::string begins;
    bool wantsMore = false;
};

const QByteArray someEvents =
    R"({"event":"started"}
{"event":"trial_finished","outcome":"ok"}
{"event":"trial_finished","outcome":"oom"}
{"event":"finished","status":"confident","micro_batch_size":24,"confidence":96,"samples_per_second":812.5,"relative_error":0.012,"trials":14,"wall_seconds":31.5}
)";

} // namespace

class LiveReportTest : public QObject
{
    Q_OBJECT

private slots:
    void judgesByTheVisits()
    {
        LiveRecord record = plainRecord();
        record.explorations = {explorationOf(8, 0.96), explorationOf(2, 0.9)};
        record.explorations[1].outOfMemory = 1;
        record.explorations[1].relativeError.reset();
        record.failures = 1;
        record.outOfMemoryOfFailures = 2;
        const LiveFigures figures = figuresOf(record, 0.02);
        QCOMPARE(figures.explorations, 2);
        QCOMPARE(figures.within, 1.0);
        QCOMPARE(figures.stated, 1.86);
        QCOMPARE(figures.perfect, 2.0);
        QCOMPARE(figures.outOfMemory, 3);
        QCOMPARE(figures.failures, 1);
        QVERIFY(figures.regret > 0.3 && figures.regret < 0.7);
        // The stated speed is correct within 2 %.
        QCOMPARE(figures.intervals, 1);
        QVERIFY2(figures.inIntervals > 0.95, std::to_string(figures.inIntervals).c_str());
        QCOMPARE(figures.speeds.size(), std::size_t{1});
        const std::string text = liveSpeedText(figures.speeds.front());
        QVERIFY2(text.starts_with("8: 100.0 samples/s +- 2.0 % stated, 9"), text.c_str());
        QVERIFY(figures.speeds.front().low < 100.0 && figures.speeds.front().high > 100.0);
    }

    /// Scattered visits leave the long-run speed uncertain, which is no error of the stated interval.
    void takesTheErrorOfTheVisitsIntoAccount()
    {
        LiveRecord record = plainRecord();
        for (SizeVisit& visit : record.visits) {
            visit.typicalSeconds *= visit.round % 2 == 0 ? 1.15 : 1.0 / 1.15;
            visit.meanSeconds = visit.typicalSeconds;
        }
        record.explorations = {explorationOf(8, 0.96), explorationOf(8, 0.96)};
        record.explorations[0].samplesPerSecond = 105.0;
        record.explorations[1].samplesPerSecond = 150.0;
        const LiveFigures figures = figuresOf(record, 0.02);
        QCOMPARE(figures.intervals, 2);
        QCOMPARE(figures.agreeing, 1);
        QVERIFY2(figures.inIntervals < 0.8, std::to_string(figures.inIntervals).c_str());
    }

    void judgesNothingWithoutVisits()
    {
        LiveRecord record = plainRecord();
        record.explorations = {explorationOf(8, 0.96)};
        record.visits.clear();
        const LiveFigures figures = figuresOf(record, 0.02);
        QCOMPARE(figures.explorations, 0);
        QVERIFY(liveVerdict(figures).starts_with("No exploration can be judged"));
        QVERIFY(liveRow(figures).find(" -") != std::string::npos);
    }

    void ignoresSizesThatDoNotFit()
    {
        // With the headroom, 4 is the largest size that fits, and so the best.
        LiveRecord record = plainRecord();
        record.answers = {1, 2, 4};
        record.explorations = {explorationOf(4, 0.9)};
        QCOMPARE(figuresOf(record, 0.02).within, 1.0);
    }

    void sumsTheFigures()
    {
        LiveRecord record = plainRecord();
        record.explorations = {explorationOf(8, 0.96)};
        LiveFigures overall{.name = "all"};
        overall.add(figuresOf(record, 0.02));
        overall.add(figuresOf(record, 0.02));
        QCOMPARE(overall.explorations, 2);
        QCOMPARE(overall.stated, 1.92);
        QCOMPARE(overall.trials.size(), std::size_t{2});
        const std::string heading = liveHeading(0.02);
        QCOMPARE(liveRow(overall).size(), heading.size() - heading.rfind('\n') - 1);
    }

    void reportsWhetherTheConfidenceIsCredible_data()
    {
        rows<Verdict>({
            {"believed",
             {.count = 100,
              .within = 95.0,
              .stated = 96.0,
              .begins = "The stated confidence can be believed"}},
            {"too high",
             {.count = 100, .within = 80.0, .stated = 95.0, .begins = "The stated confidence is too high"}},
            {"visits that leave doubt",
             {.count = 100,
              .within = 80.0,
              .stated = 95.0,
              .perfect = 88.0,
              .begins = "Whether the stated confidence is too high here cannot be told: 80 %"}},
            {"too low",
             {.count = 100, .within = 99.0, .stated = 80.0, .begins = "The stated confidence is too low"}},
            {"few",
             {.count = 2,
              .within = 2.0,
              .stated = 1.9,
              .begins = "The stated confidence can be believed",
              .wantsMore = true}},
        });
    }
    void reportsWhetherTheConfidenceIsCredible()
    {
        const Verdict& verdict = row<Verdict>();
        const std::string text = liveVerdict({.explorations = verdict.count,
                                              .within = verdict.within,
                                              .stated = verdict.stated,
                                              .perfect = verdict.perfect});
        QVERIFY2(text.starts_with(verdict.begins), text.c_str());
        QCOMPARE(text.find("--explorations") != std::string::npos, verdict.wantsMore);
    }

    /// Wilson's intervals to three digits: above 72.2 % for 10 of 10, between 23.7 and 76.3 % for 5 of 10.
    void computesWilsonsInterval()
    {
        QVERIFY(std::abs(binomialInterval(10.0, 10).low - 0.722) < 0.001);
        QCOMPARE(binomialInterval(10.0, 10).high, 1.0);
        QVERIFY(std::abs(binomialInterval(5.0, 10).low - 0.237) < 0.001);
        QVERIFY(std::abs(binomialInterval(5.0, 10).high - 0.763) < 0.001);
        QCOMPARE(binomialInterval(0.0, 0).high, 1.0);
    }

    void readsTheEventsOfAnExploration()
    {
        const ExplorerEnd end = explorerEnd(someEvents);
        QVERIFY(end.isFinished && end.exploration);
        QCOMPARE(end.exploration->size, 24);
        QCOMPARE(end.exploration->stated, 0.96);
        QCOMPARE(end.exploration->samplesPerSecond, 812.5);
        QCOMPARE(end.exploration->relativeError, std::optional(0.012));
        QCOMPARE(end.exploration->trials, 14);
        QCOMPARE(end.exploration->outOfMemory, 1);
    }

    void reportsNoSizeOfAnUnfinishedExploration_data()
    {
        rows<QByteArray>({
            {"interrupted", QByteArray(someEvents).replace("confident", "cancelled")},
            {"broken off", QByteArray(someEvents).replace("finished\",\"status", "begun\",\"status")},
            {"nothing fits",
             QByteArray(someEvents).replace("confident", "nothing_fits").replace(":24", ":null")},
        });
    }
    void reportsNoSizeOfAnUnfinishedExploration()
    {
        const ExplorerEnd end = explorerEnd(row<QByteArray>());
        QVERIFY(!end.exploration);
        QCOMPARE(end.outOfMemory, 1);
    }
};

BATCHPEAK_TEST(LiveReportTest)
#include "tst_live_report.moc"
