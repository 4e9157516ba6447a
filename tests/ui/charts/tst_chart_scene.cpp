// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/axis_scales.h"
#include "charts/chart_scene.h"
#include "sample_snapshots.h"
#include "snapshot/measured_sizes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "text/comparison_text.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak;
using namespace batchpeak::ui;

class ChartSceneTest : public QObject
{
    Q_OBJECT

private slots:
    void keepsEveryMeasurementAndMarksTheNewest()
    {
        const ChartScene scene = chartSceneOf(test::runningSnapshot());
        std::vector<bool> newest;
        for (const auto& point : scene.points) {
            if (point.size == 64)
                newest.push_back(point.newest);
        }
        QCOMPARE(newest, (std::vector<bool>{false, true}));
    }

    void drawsRecalledTrialsPale()
    {
        engine::Snapshot snapshot = test::runningSnapshot();
        const std::size_t before = chartSceneOf(snapshot).points.size();
        const QDateTime ended(QDate(1999, 11, 28), QTime(14, 9));
        for (const std::int64_t size : {64, 100}) {
            trial::TrialRecord trial = test::trialThat(trial::Outcome::Ok, 0, size, 4.0);
            trial.samplesPerSecond = 900.0;
            snapshot.recalled.push_back({.trial = trial, .ended = ended});
        }
        const ChartScene scene = chartSceneOf(snapshot);
        QCOMPARE(scene.points.size(), before + 2);
        QCOMPARE(scene.newestOf(64)->isPale(), false);
        const MeasuredPoint* recalled = scene.newestOf(100);
        QVERIFY(recalled && recalled->isPale());
        QCOMPARE(recalled->earlier, QStringLiteral("28 Nov 1999, 14:09"));
        QVERIFY(recalled->value.has_value());
    }

    void hasOneNumberForEachSize()
    {
        engine::Snapshot snapshot = test::runningSnapshot();
        // The estimate differs from the trials, as if a trial had run next to other programs.
        snapshot.searchState.estimates.front().samplesPerSecond *= 0.5;
        ChartScene scene = chartSceneOf(snapshot);
        for (const engine::MeasuredSize& size : engine::measuredSizes(snapshot)) {
            const ReckonedSize* reckoned = scene.reckonedOf(size.microBatchSize);
            QCOMPARE(reckoned != nullptr, size.samplesPerSecond.has_value());
            if (!reckoned)
                continue;
            QCOMPARE(reckoned->samplesPerSecond, *size.samplesPerSecond);
            QCOMPARE(scene.valueOf(*reckoned).value_or(0.0), *size.samplesPerSecond);
            QCOMPARE(scene.halfIntervalOf(*reckoned), engine::standardErrorsOf95Percent *
                                                          size.relativeError.value_or(0.0) *
                                                          *size.samplesPerSecond);
        }
        QCOMPARE(scene.valueOf(*scene.reckonedOf(scene.lead->size)), scene.leadValue());
        // There is no model of energy, and no mean either.
        scene.modelFactor.reset();
        QVERIFY(!scene.valueOf(scene.reckoned.front()));
    }

    void marksSizesThatCannotBeRecommended()
    {
        const ChartScene scene = chartSceneOf(test::everyOutcomeSnapshot());
        const auto kindOf = [&](std::int64_t size) {
            return std::ranges::find(scene.points, size, &MeasuredPoint::size)->kind;
        };
        QCOMPARE(kindOf(64), MeasuredPoint::Kind::Plain);
        QCOMPARE(kindOf(240), MeasuredPoint::Kind::Thrashes);
        QCOMPARE(kindOf(250), MeasuredPoint::Kind::AboveHeadroom);
        QCOMPARE(scene.outOfMemory, (std::vector<std::int64_t>{300}));
        // Unsupported, failed, timed out, crashed; a canceled trial is ignored.
        QCOMPARE(scene.failed.size(), std::size_t{4});
    }

    void keepsTheSizesOfAComparison()
    {
        const ChartScene scene = chartSceneOf(test::comparingSnapshot());
        QCOMPARE(scene.comparisons.size(), std::size_t{1});
        QCOMPARE(scene.comparisons.front().number, 17);
        QCOMPARE(scene.comparisons.front().sizes, (std::vector<std::int64_t>{160, 192, 224}));
        QCOMPARE(engine::contrastText(scene.comparisons.front().contrast),
                 QStringLiteral("192 is 1.3 % ± 0.2 faster than 224"));
        QCOMPARE(scene.comparison(17), &scene.comparisons.front());
        QCOMPARE(scene.newestComparisonOf(160), &scene.comparisons.front());
        QVERIFY(!scene.newestComparisonOf(128));
        QCOMPARE(scene.running, (std::vector<std::int64_t>{192, 208}));
        for (const auto& point : scene.points) {
            const bool isCompared = point.comparison == 17;
            if (scene.newestComparisonOf(point.size))
                QCOMPARE(point.newest, isCompared);
            // The error of a difference is 0.21 %, so the error of each of the two is 0.15 %.
            if (isCompared)
                QVERIFY2(std::abs(*point.relativeError - 0.0015) < 0.0001,
                         qPrintable(QString::number(*point.relativeError)));
        }
    }

    void drawsNoFailedComparison_data()
    {
        trial::TrialRecord ended = test::comparisonOf(trial::Outcome::Ok, 17, {160, 192}, {0.0, 0.0});
        ended.outcome = trial::Outcome::OutOfMemory;
        ended.microBatchSize = 192;
        ended.compared.back().samplesPerSecond.reset();
        ended.compared.back().visits.clear();
        trial::TrialRecord late = test::comparisonOf(trial::Outcome::Ok, 17, {160, 192}, {0.0, 0.0});
        late.outcome = trial::Outcome::Timeout;
        trial::TrialRecord thrashing = test::comparisonOf(trial::Outcome::Ok, 17, {160, 192}, {0.0, 0.0});
        thrashing.thrashes = true;
        using Sizes = std::vector<std::int64_t>;
        rows<trial::TrialRecord, Sizes, Sizes>({{"ended by a size", {ended, {160}, {192}}},
                                                {"out of time", {late, {}, {}}},
                                                {"thrashing", {thrashing, {}, {}}}});
    }
    void drawsNoFailedComparison()
    {
        using Sizes = std::vector<std::int64_t>;
        const auto& [comparison, measured, outOfMemory] = row<trial::TrialRecord, Sizes, Sizes>();
        engine::Snapshot snapshot = test::withDevice();
        snapshot.trials = {comparison};
        const ChartScene scene = chartSceneOf(snapshot);
        Sizes sizes;
        for (const auto& point : scene.points)
            sizes.push_back(point.size);
        QCOMPARE(sizes, measured);
        QCOMPARE(scene.outOfMemory, outOfMemory);
        QVERIFY(scene.comparisons.empty());
        QVERIFY(scene.failed.empty());
    }

    void choosesTheUnitByTheMeasuredMemory_data()
    {
        rows<double, std::string>({{"some MiB far below 20 GiB", {0.002, "MiB"}},
                                   {"near the limit", {0.5, "GiB"}},
                                   {"nothing measured", {0.0, "GiB"}}});
    }
    void choosesTheUnitByTheMeasuredMemory()
    {
        const auto& [peakOfLimit, unit] = row<double, std::string>();
        constexpr std::int64_t limit = 20LL << 30;
        engine::Snapshot snapshot;
        snapshot.devices = {{.limitBytes = limit}};
        if (peakOfLimit > 0.0)
            snapshot.trials = {
                {.microBatchSize = 8,
                 .outcome = trial::Outcome::Ok,
                 .samplesPerSecond = 10.0,
                 .peakReservedBytes = static_cast<std::int64_t>(peakOfLimit * static_cast<double>(limit))}};
        QCOMPARE(chartSceneOf(snapshot).unit.name.toStdString(), unit);
    }

    void leavesOutSizesThatWouldEmptyALogarithmicAxis()
    {
        engine::Snapshot snapshot = test::earlySnapshot();
        snapshot.trials.front().microBatchSize = 0;
        snapshot.searchState.curve.insert(snapshot.searchState.curve.begin(),
                                          {.size = 0.0, .samplesPerSecond = 1.0});
        const ChartScene scene = chartSceneOf(snapshot);
        QVERIFY(std::ranges::all_of(scene.points, [](const auto& point) { return point.size >= 1; }));
        QVERIFY(std::ranges::all_of(scene.curve, [](const auto& point) { return point.size >= 1.0; }));
    }

    void placesTheWallBetweenFittingAndFailingSizes_data()
    {
        rows<std::int64_t, std::int64_t>({{"the model is right", {224, 288}},
                                          {"the model is too hopeful", {128, 160}},
                                          {"the model is too timid", {300, 320}},
                                          {"next to each other", {127, 128}}});
    }
    void placesTheWallBetweenFittingAndFailingSizes()
    {
        const auto& [ran, failed] = row<std::int64_t, std::int64_t>();
        engine::Snapshot snapshot = test::earlySnapshot();
        snapshot.trials[3].microBatchSize = ran;
        snapshot.trials[4].microBatchSize = failed;
        snapshot.trials[4].outcome = trial::Outcome::OutOfMemory;
        const ChartScene scene = chartSceneOf(snapshot);
        QVERIFY(scene.memoryZones.wallSeen);
        QVERIFY2(scene.memoryZones.wall > static_cast<double>(ran) &&
                     scene.memoryZones.wall < static_cast<double>(failed),
                 qPrintable(QString::number(scene.memoryZones.wall)));
        QVERIFY(scene.memoryZones.headroomFrom == 0.0 ||
                scene.memoryZones.headroomFrom < scene.memoryZones.wall);
    }

    void predictsTheZonesFromTheMemoryLine()
    {
        const ChartScene scene = chartSceneOf(test::earlySnapshot());
        QVERIFY(!scene.memoryZones.wallSeen);
        QCOMPARE(std::round(scene.memoryZones.wall), std::round((79.1 - 9.4) / 0.262));
        QCOMPARE(std::round(scene.memoryZones.headroomFrom), std::round((79.1 * 0.92 - 9.4) / 0.262));
    }

    void isEqualWhenNothingDrawnHasChanged()
    {
        engine::Snapshot snapshot = test::runningSnapshot();
        const ChartScene before = chartSceneOf(snapshot);
        snapshot.trials.back().timedSteps += 1;
        snapshot.trials.back().wallSeconds += 0.3;
        snapshot.timeLeft = search::Estimate{.likely = 70.0, .low = 42.0, .high = 119.0};
        QCOMPARE(chartSceneOf(snapshot), before);
        snapshot.searchState.recommendation->confidence = 60;
        QVERIFY(!(chartSceneOf(snapshot) == before));
    }

    void spansTheSizesButNotFarBeyondTheWall()
    {
        ChartScene scene;
        scene.points = {{.size = 4}, {.size = 64}};
        QCOMPARE(sizeRangeOf(scene), (AxisRange{4 * 0.87, 64 * 1.15}));
        scene.outOfMemory = {4096};
        scene.memoryZones.wall = 100.0;
        QCOMPARE(sizeRangeOf(scene), (AxisRange{4 * 0.87, 100.0 * 2.2}));
        QCOMPARE(sizeRangeOf(ChartScene{}), AxisRange{});
    }

    void choosesRoundTicksWithRoomAbove_data()
    {
        const auto add = rows<double, int>();
        for (const double largest : {0.013, 0.9, 2.31, 12.3, 79.1, 100.0, 2304.0, 98765.0}) {
            for (const int maxTicks : {2, 3, 4, 6})
                add(QStringLiteral("%1 in %2").arg(largest).arg(maxTicks).toStdString(), {largest, maxTicks});
        }
    }
    void choosesRoundTicksWithRoomAbove()
    {
        const auto& [largest, maxTicks] = row<double, int>();
        const ValueScale scale = valueScaleFor(largest, maxTicks);
        QVERIFY(scale.top >= largest * 1.1);
        const int ticks = static_cast<int>(std::floor(scale.top / scale.step)) + 1;
        const double lastDigits = scale.step * std::pow(10.0, scale.decimals);
        QVERIFY2(std::abs(lastDigits - std::round(lastDigits)) < 1e-6 * lastDigits,
                 qPrintable(QStringLiteral("step %1, decimals %2").arg(scale.step).arg(scale.decimals)));
        QVERIFY2(ticks <= maxTicks && ticks >= 2 - (maxTicks == 2), qPrintable(QString::number(ticks)));
    }

    void thinsOutTheSizesOfANarrowAxis()
    {
        const AxisRange range{1.0, 65536.0};
        QCOMPARE(logBaseFor(range, 1000.0, 40.0), 2);
        QCOMPARE(logBaseFor(range, 400.0, 40.0), 4);
        QCOMPARE(logBaseFor(range, 200.0, 40.0), 16);
    }

    void describesItselfInWords()
    {
        const ChartScene scene = chartSceneOf(test::runningSnapshot());
        const QString throughput = throughputSummary(scene);
        QVERIFY2(throughput.contains(QStringLiteral("Recommended is size 192.")), qPrintable(throughput));
        QVERIFY2(throughput.contains(QStringLiteral("Out of memory from size 288 on.")),
                 qPrintable(throughput));
        QVERIFY2(memorySummary(scene).contains(QStringLiteral("The device limit is 79.1 GiB.")),
                 qPrintable(memorySummary(scene)));
        QCOMPARE(throughputSummary({}), QStringLiteral("No size is measured yet."));
        const QString compared = throughputSummary(chartSceneOf(test::comparingSnapshot()));
        QVERIFY2(compared.contains(
                     QStringLiteral("Compared, 192 is 1.3 % ± 0.2 faster than 224. Sizes 192 and 208 "
                                    "are running.")),
                 qPrintable(compared));
    }

    void reportsTheAllocatorsShareOfASample()
    {
        engine::Snapshot snapshot = test::runningSnapshot();
        QVERIFY(!memorySummary(chartSceneOf(snapshot)).contains(QStringLiteral("A sample takes")));
        constexpr double mebibyte = 1024.0 * 1024.0;
        snapshot.searchState.memory = search::MemoryLine{.bytesPerSample = 300.0 * mebibyte};
        snapshot.searchState.allocatedMemory = search::MemoryLine{.bytesPerSample = 250.0 * mebibyte};
        const QString memory = memorySummary(chartSceneOf(snapshot));
        QVERIFY2(memory.contains(
                     QStringLiteral("A sample takes 300 MiB; the network itself uses 250 MiB of that.")),
                 qPrintable(memory));
    }
};

BATCHPEAK_TEST(ChartSceneTest)
#include "tst_chart_scene.moc"
