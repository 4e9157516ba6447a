// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/curve/trend.h"
#include "support/test_main.h"

#include "observations_of.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak::search;

namespace {

double probabilityOf(const std::vector<CandidateTrend>& trends)
{
    double sum = 0.0;
    for (const CandidateTrend& likely : trends)
        sum += std::exp(likely.logPrior);
    return sum;
}

} // namespace

class TrendTest : public QObject
{
    Q_OBJECT

private slots:
    void countsWholeWaves()
    {
        const Trend trend{.wave = 32.0};
        QCOMPARE(trend.features(32.0), Eigen::Vector4d(1.0, 32.0, 32.0, 0.0));
        QCOMPARE(trend.features(33.0), Eigen::Vector4d(1.0, 33.0, 64.0, 0.0));
    }

    void chargesUnalignedSizes()
    {
        const Trend trend{.alignment = 8};
        QCOMPARE(trend.features(32.0), Eigen::Vector4d(1.0, 32.0, 0.0, 0.0));
        QCOMPARE(trend.features(33.0), Eigen::Vector4d(1.0, 33.0, 0.0, 33.0));
        QCOMPARE(Trend{}.features(33.0)[3], 0.0);
    }

    void chargesOneSideOfACliff()
    {
        const Trend rise{.riseAfter = 40.0};
        QCOMPARE(rise.features(40.0)[2], 0.0);
        QCOMPARE(rise.features(48.0)[2], 48.0);
        const Trend drop{.dropAfter = 40.0};
        QCOMPARE(drop.features(40.0)[2], 40.0);
        QCOMPARE(drop.features(48.0)[2], 0.0);
        QCOMPARE(Trend{}.features(48.0)[2], 0.0);
    }

    void movesACliffBetweenTwoMeasuredSizes()
    {
        const Observations trials = observationsOf({{8, 0.012}, {64, 0.12}, {20, 0.031}});
        const Trend trend{.riseAfter = 20.0};
        for (const double share : {0.0, 0.3, 0.999}) {
            const Trend moved = withCliffMoved(trend, trials, share);
            QVERIFY(moved.riseAfter >= 20.0 && moved.riseAfter < 64.0);
            // The trials cannot distinguish the two.
            for (const double size : trials.size)
                QCOMPARE(moved.features(size), trend.features(size));
        }
        QCOMPARE(withCliffMoved({.wave = 16.0}, trials, 0.5), (Trend{.wave = 16.0}));
    }

    void assignsPriorProbabilities()
    {
        const Observations trials = observationsOf({{1, 0.004}, {8, 0.012}, {64, 0.071}, {200, 0.3}});
        QVERIFY(std::abs(probabilityOf(waveTrends(trials, 300.0)) - 1.0) < 1e-9);
        QVERIFY(probabilityOf(cliffTrends(trials, 300.0)) < 0.21);
        QCOMPARE(cliffTrends(trials, 300.0).size(), std::size_t{6});
        QCOMPARE(alignedTrends(300.0).front().trend.alignment, 1);
        QCOMPARE(alignedTrends(300.0).front().logPrior, 0.0);
        // An alignment that is not named individually has less weight than one that is.
        QVERIFY(alignedTrends(300.0).back().logPrior < alignedTrends(300.0)[2].logPrior);
    }

    void listsEachVisibleAlignmentOnce()
    {
        std::vector<std::int64_t> alignments;
        for (const CandidateTrend& likely : alignedTrends(60.0))
            alignments.push_back(likely.trend.alignment);
        QCOMPARE(std::ranges::max(alignments), 64);
        QVERIFY(std::ranges::find(alignments, 31) == alignments.end());
        std::ranges::sort(alignments);
        QVERIFY(std::ranges::adjacent_find(alignments) == alignments.end());
    }

    void listsOnlyVisibleWaves()
    {
        const Observations trials = observationsOf({{1, 0.004}, {8, 0.012}, {64, 0.071}});
        for (const CandidateTrend& likely : waveTrends(trials, 100.0))
            QVERIFY(likely.trend.wave >= 2.0 && likely.trend.wave <= 64.0);
    }
};

BATCHPEAK_TEST(TrendTest)
#include "tst_trend.moc"
