// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/axis_scales.h"
#include "charts/run_plot.h"
#include "sample_trainings.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

/// Last step before a run, newest step, number of planned steps, and the expected end of the axis.
struct Steps
{
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t planned = 0;
    double end = 0.0;
};

std::vector<StepValue> wave(std::int64_t steps)
{
    std::vector<StepValue> values;
    for (std::int64_t step = 1; step <= steps; ++step)
        values.push_back({step, std::sin(static_cast<double>(step) * 0.37)});
    return values;
}

std::vector<ComparedRun> earlierRuns()
{
    std::vector<ComparedRun> runs;
    for (const auto& snapshot : test::earlierTrainings()) {
        const int pattern = static_cast<int>(runs.size());
        runs.push_back({.name = QStringLiteral("run %1").arg(pattern + 1),
                        .pattern = pattern,
                        .snapshot = std::make_shared<const training::TrainingSnapshot>(snapshot)});
    }
    return runs;
}

QStringList textsOf(const RunPlot& plot)
{
    QStringList texts;
    for (const auto& marker : plot.markers)
        texts << QStringLiteral("%1: %2").arg(marker.step).arg(marker.text);
    return texts;
}

} // namespace

/// Tests what the charts of a training run draw, before a pixel is painted.
class RunPlotTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { QLocale::setDefault(QLocale::c()); }

    void thinsToTheExtremesOfEachColumn_data()
    {
        rows<int, int>({{"none", {0, 10}},
                        {"fewer than columns", {7, 10}},
                        {"exactly as many as can be drawn", {20, 10}},
                        {"one more", {21, 10}},
                        {"many", {10000, 500}},
                        {"one column", {1000, 1}}});
    }
    void thinsToTheExtremesOfEachColumn()
    {
        const auto& [steps, columns] = row<int, int>();
        auto values = wave(steps);
        if (steps > 500)
            values[333].value = 9.0;
        const auto drawn = thinned(values, columns);
        QVERIFY(drawn.size() <= 2 * static_cast<std::size_t>(columns) + 1);
        QVERIFY(std::ranges::is_sorted(drawn, {}, &StepValue::step));
        if (values.empty())
            return;
        QCOMPARE(drawn.back().step, values.back().step);
        const auto byValue = [](const auto& a, const auto& b) { return a.value < b.value; };
        QCOMPARE(std::ranges::max_element(drawn, byValue)->value,
                 std::ranges::max_element(values, byValue)->value);
        QCOMPARE(std::ranges::min_element(drawn, byValue)->value,
                 std::ranges::min_element(values, byValue)->value);
    }

    void drawsStairsByTheirCorners()
    {
        const std::vector<StepValue> values{{1, 8}, {2, 8}, {3, 4}, {4, 4}, {5, 4}};
        QCOMPARE(stairsOf(values), (std::vector<StepValue>{{1, 8}, {3, 8}, {3, 4}, {5, 4}}));
        QVERIFY(stairsOf({}).empty());
    }

    void omitsAndMarksLossesThatAreNoNumbers()
    {
        const RunPlot plot = lossPlot(test::divergedTraining());
        QCOMPARE(plot.series.front().values.back().step, 60);
        QCOMPARE(textsOf(plot), QStringList{QStringLiteral("61: NaN from here on")});
        training::TrainingSnapshot infinite = test::divergedTraining();
        for (auto& step : infinite.steps)
            step.loss = std::numeric_limits<double>::infinity();
        QCOMPARE(lossPlot(infinite).markers.front().step, 1);
    }

    void marksOnlyHalvingsOfTraining()
    {
        QCOMPARE(textsOf(schedulePlot(test::halvingTraining())),
                 (QStringList{QStringLiteral("1: 1536 ran out of memory, 768 next"),
                              QStringLiteral("1: 768 ran out of memory, 384 next"),
                              QStringLiteral("1: 384 ran out of memory, 192 next"),
                              QStringLiteral("70: 192 ran out of memory, 96 next"),
                              QStringLiteral("95: 96 thrashed, 48 next")}));
    }

    void marksGrowthThatWasIgnored()
    {
        const RunPlot plot = schedulePlot(test::growthTraining());
        QCOMPARE(textsOf(plot), (QStringList{QStringLiteral("62: +32 ignored: above the maximum"),
                                             QStringLiteral("65: +32 ignored: above the maximum")}));
        training::TrainingSnapshot shrinking = test::growthTraining();
        shrinking.schedule = {{.step = 3,
                               .increment = -40,
                               .decision = accumulation::GrowthDecision::Kind::LeavesNothing,
                               .microBatchSize = 32,
                               .batchSize = 256}};
        QCOMPARE(textsOf(schedulePlot(shrinking)),
                 QStringList{QStringLiteral("3: −40 ignored: nothing would be left")});
    }

    void describesAStep()
    {
        const auto snapshot = test::halvingTraining();
        QCOMPARE(linesAt(schedulePlot(snapshot), 70),
                 (QStringList{QStringLiteral("step 70"), QStringLiteral("batch 1536"),
                              QStringLiteral("micro-batch 96"),
                              QStringLiteral("192 ran out of memory, 96 next")}));
        QCOMPARE(linesAt(ratePlot(snapshot), 1).size(), 2);
        const QStringList loss = linesAt(lossPlot(snapshot), 40);
        QCOMPARE(loss.size(), 3);
        QVERIFY2(loss.at(2).startsWith(QStringLiteral("evaluation ")), qPrintable(loss.at(2)));
        QCOMPARE(linesAt(lossPlot(snapshot), 41).size(), 2);
    }

    void comparesWithThePrediction()
    {
        const auto snapshot = test::predictedTraining();
        const RunPlot plot = ratePlot(snapshot);
        const auto predicted =
            std::ranges::find(plot.series, RunPlot::Look::Predicted, &RunPlot::Series::look);
        QVERIFY(predicted != plot.series.end());
        QCOMPARE(predicted->values.size(), snapshot.steps.size());
        QVERIFY2(predicted->remark.endsWith(differenceText(*snapshot.overPrediction)),
                 qPrintable(predicted->remark));
        const QStringList lines = linesAt(plot, 200);
        QCOMPARE(lines.size(), 3);
        const double difference =
            snapshot.steps[199].samplesPerSecond / snapshot.steps[199].predictedSamplesPerSecond - 1.0;
        QVERIFY2(lines.at(2).startsWith(QStringLiteral("predicted ")) &&
                     lines.at(2).endsWith(differenceText(difference)),
                 qPrintable(lines.at(2)));
        const auto unpredicted = ratePlot(test::midwayTraining());
        QVERIFY(std::ranges::find(unpredicted.series, RunPlot::Look::Predicted, &RunPlot::Series::look)
                    ->values.empty());
        QCOMPARE(linesAt(unpredicted, 200).size(), 2);
    }

    void describesADifferenceInPercent_data()
    {
        rows<double, Text>({{"slower", {-0.0134, "1.3 % slower"}},
                            {"faster", {0.021, "2.1 % faster"}},
                            {"hardly", {-0.0004, "as fast"}}});
    }
    void describesADifferenceInPercent()
    {
        const auto& [difference, said] = row<double, Text>();
        QCOMPARE(differenceText(difference), said);
    }

    void drawsEarlierRunsBelowTheCurrentOne()
    {
        const auto snapshot = test::predictedTraining();
        const std::vector<ComparedRun> earlier = earlierRuns();
        for (const RunPlot& plot :
             {lossPlot(snapshot, earlier), ratePlot(snapshot, earlier), schedulePlot(snapshot, earlier)}) {
            std::vector<QList<qreal>> dashes;
            for (std::size_t i = 0; i < earlier.size(); ++i) {
                QCOMPARE(plot.series[i].name, earlier[i].name);
                QCOMPARE(plot.series[i].pattern, std::optional(earlier[i].pattern));
                QVERIFY(!dashesOf(plot.series[i]).isEmpty());
                QVERIFY(std::ranges::find(dashes, dashesOf(plot.series[i])) == dashes.end());
                dashes.push_back(dashesOf(plot.series[i]));
            }
            QVERIFY(!plot.series[earlier.size()].pattern);
            const QStringList lines = linesAt(plot, 90);
            QVERIFY2(lines.filter(QStringLiteral("run 1: ")).size() == 1,
                     qPrintable(lines.join(QLatin1Char(';'))));
            QVERIFY(lines.back().startsWith(QStringLiteral("run 1: ")));
        }
    }

    void reachesAsFarAsTheLongestRun()
    {
        training::TrainingSnapshot begun = test::midwayTraining();
        begun.steps.resize(3);
        begun.run->steps = 10;
        QVERIFY(stepRangeOf(begun).maximum <= 10.0);
        QVERIFY(stepRangeOf(begun, earlierRuns()).maximum >= 300.0);
    }

    void namesEvaluationsByTheirSamples()
    {
        QCOMPARE(lossPlot(test::midwayTraining()).series.back().name, QStringLiteral("evaluation"));
        QCOMPARE(lossPlot(test::predictedTraining()).series.back().name, QStringLiteral("held out"));
    }

    void describesItselfInWords()
    {
        QCOMPARE(runPlotSummary(lossPlot({})), QStringLiteral("No step is done yet."));
        const QString summary = runPlotSummary(schedulePlot(test::halvingTraining()));
        QVERIFY2(
            summary.startsWith(QStringLiteral("batch: 1536 at step 1, 1536 at step 120. micro-batch: 192 "
                                              "at step 1, 48 at step 120.")),
            qPrintable(summary));
    }

    void extendsTheAxisOnlyNowAndThen_data()
    {
        rows<Steps>({{"nothing yet", {.end = 10.0}},
                     {"few are planned", {.last = 3, .planned = 6, .end = 6.0}},
                     {"beyond the first ten", {.last = 11, .end = 13.0}},
                     {"no further than planned", {.last = 90, .planned = 100, .end = 100.0}},
                     {"more than planned", {.last = 12, .planned = 11, .end = 13.0}},
                     {"resumed", {.first = 400, .last = 405, .planned = 1000, .end = 410.0}}});
    }
    void extendsTheAxisOnlyNowAndThen()
    {
        const auto& [first, last, planned, end] = row<Steps>();
        QCOMPARE(stepRangeFor(first, last, planned), (AxisRange{static_cast<double>(first), end}));
    }

    void beginsAtZeroUnlessThatHidesTheValues_data()
    {
        rows<double, double, bool>({{"falls far", {2.5, 10.8, true}},
                                    {"differs little", {2.9, 3.1, false}},
                                    {"all the same", {3.0, 3.0, true}},
                                    {"nothing", {0.0, 0.0, true}}});
    }
    void beginsAtZeroUnlessThatHidesTheValues()
    {
        const auto& [smallest, largest, fromZero] = row<double, double, bool>();
        for (const int maxTicks : {2, 3, 6}) {
            const ValueScale scale = valueScaleFor(smallest, largest, maxTicks);
            QCOMPARE(scale.bottom == 0.0, fromZero);
            QVERIFY(scale.bottom <= smallest && scale.top >= largest && scale.top > scale.bottom);
            QVERIFY((scale.top - scale.bottom) / scale.step < maxTicks);
        }
    }
};

BATCHPEAK_TEST(RunPlotTest)
#include "tst_run_plot.moc"
