// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_study.h"

#include "device_families.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

class SweepTruthTest : public QObject
{
    Q_OBJECT

private slots:
    // A few sweeps in the fastest world suffice here; make bench-sweep-truth uses 200 in each world.
    void coversTheTrueSpeeds()
    {
        const SweepStudy study = studySweeps("", 12);
        const std::string text = "speeds " + std::to_string(study.speedsWithin) + ", ratios " +
                                 std::to_string(study.ratiosWithin) + ", stated " +
                                 std::to_string(study.perfectShare) + ", right " +
                                 std::to_string(study.perfectRight);
        QVERIFY2(study.ratiosWithin > 0.8 && study.ratiosWithin < 1.0, text.c_str());
        QVERIFY2(study.speedsWithin > 0.7 && study.speedsWithin < 1.0, text.c_str());
        QVERIFY2(std::abs(study.perfectShare - study.perfectRight) < 0.15, text.c_str());
    }

    /// If the model treated sizes as independent, the luckiest of many equal sizes would look 2 % better than
    /// most.
    void treatsEqualSizesAsEqual()
    {
        ReplayDevice::Truth truth = deviceOf("equal", 3, "trial noise");
        truth.seconds = [](std::int64_t size) { return 0.01 * static_cast<double>(size); };
        truth.peakBytes = [](std::int64_t) { return 0.0; };
        truth.setupSeconds = 0.4;
        ReplayDevice device(truth, 3);
        const std::vector<std::int64_t> sizes = gridUpTo(64);
        const SweepTruth possible(sweepOf(device, sizes, 3), 3);
        const TruthVerdict verdict(possible.draws(), sizes, sweepTolerance, [&](int draw, std::int64_t size) {
            return possible.samplesPerSecond(draw, size);
        });
        for (const std::int64_t size : sizes) {
            QVERIFY2(verdict.shareWithin(size) > 0.9, std::to_string(verdict.shareWithin(size)).c_str());
            QVERIFY(verdict.regret(size) < 0.01);
        }
    }

    /// One visit with a long delay must not make its size look slow.
    void ignoresOneStalledVisit()
    {
        ReplayDevice device(deviceOf("smooth", 5), 5);
        const std::vector<std::int64_t> sizes{1, 2, 4, 8};
        std::vector<SizeVisit> visits = sweepOf(device, sizes, 5);
        const auto meanOf = [](const SweepTruth& possible) {
            double sum = 0.0;
            for (int draw = 0; draw < possible.draws(); ++draw)
                sum += possible.seconds(draw, 8) / possible.seconds(draw, 4) / possible.draws();
            return sum;
        };
        const double before = meanOf(SweepTruth(visits));
        const auto stalled = std::ranges::find(visits, 8, &SizeVisit::size);
        stalled->typicalSeconds *= 3.0;
        stalled->meanSeconds *= 3.0;
        const double moved = meanOf(SweepTruth(visits)) / before - 1.0;
        QVERIFY2(std::abs(moved) < 0.01, std::to_string(moved).c_str());
    }

    void isTheSameForTheSameSeed()
    {
        ReplayDevice device(deviceOf("smooth", 5), 5);
        const std::vector<SizeVisit> visits = sweepOf(device, {1, 2, 4, 8}, 5);
        const auto last = [&](std::uint64_t seed) { return SweepTruth(visits, seed, 20).seconds(19, 4); };
        QCOMPARE(last(1), last(1));
        QVERIFY(last(1) != last(2));
    }

    void interpolatesBetweenSizes()
    {
        const std::vector<SizeVisit> visits{
            {.size = 2, .clockSeconds = 0.0, .typicalSeconds = 0.02, .meanSeconds = 0.02},
            {.size = 8, .clockSeconds = 1.0, .typicalSeconds = 0.04, .meanSeconds = 0.04}};
        const SweepTruth possible(visits, 1, 5);
        const double two = possible.seconds(0, 2) / 2.0;
        const double eight = possible.seconds(0, 8) / 8.0;
        QCOMPARE(possible.seconds(0, 4), 4.0 * 0.5 * (two + eight));
        QCOMPARE(possible.seconds(0, 1), two);
        QCOMPARE(possible.seconds(0, 16), 16.0 * eight);
    }

    void refusesASweepWithoutAVisit() { QVERIFY_EXCEPTION_THROWN(SweepTruth({}), std::invalid_argument); }

    void judgesByAllDraws()
    {
        // Samples/s of sizes 1, 2 and 3 in each of four draws.
        const std::vector<std::vector<double>> speeds{
            {100, 99, 97}, {100, 99, 97}, {95, 99, 100}, {90, 97, 100}};
        const TruthVerdict verdict(4, {1, 2, 3}, sweepTolerance, [&](int draw, std::int64_t size) {
            return speeds[static_cast<std::size_t>(draw)][static_cast<std::size_t>(size - 1)];
        });
        QCOMPARE(verdict.shareWithin(1), 0.5);
        QCOMPARE(verdict.shareWithin(2), 0.75);
        QCOMPARE(verdict.shareWithin(3), 0.5);
        QCOMPARE(verdict.perfectSize(), 2);
        QCOMPARE(verdict.perfectShare(), 0.75);
        QCOMPARE(verdict.regret(2), 0.015);
        QCOMPARE(verdict.shareBetween(1, 94.0, 101.0), 0.75);
        QVERIFY_EXCEPTION_THROWN(TruthVerdict(4, {}, sweepTolerance, {}), std::invalid_argument);
    }
};

BATCHPEAK_TEST(SweepTruthTest)
#include "tst_sweep_truth.moc"
