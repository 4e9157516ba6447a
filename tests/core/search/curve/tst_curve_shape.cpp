// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/curve/curve_shape.h"
#include "support/test_main.h"

#include "curve_samples.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak::search;

namespace {

double probabilityOf(const std::vector<LikelyShape>& shapes)
{
    double sum = 0.0;
    for (const LikelyShape& likely : shapes)
        sum += std::exp(likely.logPrior);
    return sum;
}

} // namespace

class CurveShapeTest : public QObject
{
    Q_OBJECT

private slots:
    void wavesAreCountedWhole()
    {
        const CurveShape shape{.wave = 32.0};
        QCOMPARE(shape.features(32.0), Eigen::Vector4d(1.0, 32.0, 32.0, 0.0));
        QCOMPARE(shape.features(33.0), Eigen::Vector4d(1.0, 33.0, 64.0, 0.0));
    }

    void sizesOffTheAlignmentAreCharged()
    {
        const CurveShape shape{.alignment = 8};
        QCOMPARE(shape.features(32.0), Eigen::Vector4d(1.0, 32.0, 0.0, 0.0));
        QCOMPARE(shape.features(33.0), Eigen::Vector4d(1.0, 33.0, 0.0, 33.0));
        QCOMPARE(CurveShape{}.features(33.0)[3], 0.0);
    }

    void cliffsChargeOneSide()
    {
        const CurveShape rise{.riseAfter = 40.0};
        QCOMPARE(rise.features(40.0)[2], 0.0);
        QCOMPARE(rise.features(48.0)[2], 48.0);
        const CurveShape drop{.dropAfter = 40.0};
        QCOMPARE(drop.features(40.0)[2], 40.0);
        QCOMPARE(drop.features(48.0)[2], 0.0);
        QCOMPARE(CurveShape{}.features(48.0)[2], 0.0);
    }

    void aCliffIsSomewhereBetweenTwoMeasuredSizes()
    {
        const CurveTrials trials = curveTrials({{8, 0.012}, {64, 0.12}, {20, 0.031}});
        const CurveShape shape{.riseAfter = 20.0};
        for (const double share : {0.0, 0.3, 0.999}) {
            const CurveShape moved = withCliffMoved(shape, trials, share);
            QVERIFY(moved.riseAfter >= 20.0 && moved.riseAfter < 64.0);
            // The trials cannot tell the two apart.
            for (const double size : trials.size)
                QCOMPARE(moved.features(size), shape.features(size));
        }
        QCOMPARE(withCliffMoved({.wave = 16.0}, trials, 0.5), (CurveShape{.wave = 16.0}));
    }

    void probabilitiesAreShares()
    {
        const CurveTrials trials = curveTrials({{1, 0.004}, {8, 0.012}, {64, 0.071}, {200, 0.3}});
        QVERIFY(std::abs(probabilityOf(wavedShapes(trials, 300.0)) - 1.0) < 1e-9);
        QVERIFY(probabilityOf(cliffShapes(trials, 300.0)) < 0.21);
        QCOMPARE(cliffShapes(trials, 300.0).size(), std::size_t{6});
        QCOMPARE(alignedShapes(300.0).front().shape.alignment, 1);
        QCOMPARE(alignedShapes(300.0).front().logPrior, 0.0);
        // None of those that are not named weighs as much as one that is.
        QVERIFY(alignedShapes(300.0).back().logPrior < alignedShapes(300.0)[2].logPrior);
    }

    void everyAlignmentStandsOnceAndCanBeSeen()
    {
        std::vector<std::int64_t> alignments;
        for (const LikelyShape& likely : alignedShapes(60.0))
            alignments.push_back(likely.shape.alignment);
        QCOMPARE(std::ranges::max(alignments), 64);
        QVERIFY(std::ranges::find(alignments, 31) == alignments.end());
        std::ranges::sort(alignments);
        QVERIFY(std::ranges::adjacent_find(alignments) == alignments.end());
    }

    void wavesCanBeSeen()
    {
        const CurveTrials trials = curveTrials({{1, 0.004}, {8, 0.012}, {64, 0.071}});
        for (const LikelyShape& likely : wavedShapes(trials, 100.0))
            QVERIFY(likely.shape.wave >= 2.0 && likely.shape.wave <= 64.0);
    }
};

BATCHPEAK_TEST(CurveShapeTest)
#include "tst_curve_shape.moc"
