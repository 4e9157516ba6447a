// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_truth.h"

#include "device_families.h"
#include "replay_device.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using batchpeak::search::RandomSource;

namespace {

constexpr int syntheticSweeps = 200;
constexpr int rounds = 8;
constexpr std::size_t mostSizes = 12;
constexpr double tolerance = 0.02;

std::vector<std::int64_t> gridUpTo(std::int64_t largest)
{
    std::vector<std::int64_t> sizes;
    for (double size = 1.0; size <= static_cast<double>(largest); size = std::max(size + 1.0, 1.25 * size))
        sizes.push_back(static_cast<std::int64_t>(size));
    if (sizes.size() > mostSizes)
        sizes.erase(sizes.begin(), sizes.end() - mostSizes);
    return sizes;
}

/// Every size in each round, in random order.
std::vector<SizeVisit> sweepOf(ReplayDevice& device, std::vector<std::int64_t> sizes, std::uint64_t seed)
{
    RandomSource random(seed);
    std::vector<SizeVisit> visits;
    for (int round = 1; round <= rounds; ++round) {
        for (std::size_t i = sizes.size(); i > 1; --i)
            std::swap(sizes[i - 1],
                      sizes[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
        for (const std::int64_t size : sizes) {
            const double before = device.clockSeconds();
            const auto trial = device.run({.size = size});
            visits.push_back(visitOf(round, size, before, trial.stepSeconds));
        }
    }
    return visits;
}

/// What was found of one synthetic sweep, whose truth is known.
struct Found
{
    /// Intervals of 90 %, and those that hold the true speed: of each size, and of each over the best one's.
    int intervals = 0;
    int speedsWithin = 0;
    int ratiosWithin = 0;
    /// What the perfect forecaster states, and whether it is right.
    double perfectShare = 0.0;
    double isPerfectRight = 0.0;
};

bool isInMiddle90(std::vector<double> values, double truth)
{
    std::ranges::sort(values);
    const auto at = [&](double share) {
        return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
    };
    return truth >= at(0.05) && truth <= at(0.95);
}

Found findOf(const std::string& world, std::uint64_t seed)
{
    std::vector<std::string> families = calibrationFamilies();
    // Where the best size is not plain to see, it is soonest taken for a lucky one.
    families.insert(families.end(), {"equal", "plateau", "equal", "plateau"});
    ReplayDevice::Truth truth = deviceOf(families[seed % families.size()], seed, world);
    // Else one sweep of some families lasts hours, and its clock does not matter.
    const double shorter = 0.05 / truth.seconds(8);
    truth.seconds = [=, seconds = truth.seconds](std::int64_t size) { return shorter * seconds(size); };
    truth.setupSeconds = 0.4;
    if (world.empty())
        truth.runNoise = 0.01;
    ReplayDevice device(truth, seed);
    const std::vector<std::int64_t> sizes = gridUpTo(std::min<std::int64_t>(device.largestFit(), 96));
    const SweepTruth possible(sweepOf(device, sizes, seed), seed, 200);
    const TruthVerdict verdict(possible.draws(), sizes, tolerance, [&](int draw, std::int64_t size) {
        return possible.samplesPerSecond(draw, size);
    });
    const double slowdown = device.meanSlowdown();
    const auto trueSpeed = [&](std::int64_t size) { return device.speed(size) / slowdown; };
    const std::int64_t best = *std::ranges::max_element(sizes, {}, trueSpeed);
    Found found{.perfectShare = verdict.perfectShare()};
    found.isPerfectRight =
        trueSpeed(verdict.perfectSize()) >= (1.0 - tolerance) * trueSpeed(best) ? 1.0 : 0.0;
    for (const std::int64_t size : sizes) {
        std::vector<double> speeds;
        std::vector<double> ratios;
        for (int draw = 0; draw < possible.draws(); ++draw) {
            speeds.push_back(possible.samplesPerSecond(draw, size));
            ratios.push_back(speeds.back() / possible.samplesPerSecond(draw, best));
        }
        if (size == best)
            continue;
        ++found.intervals;
        found.speedsWithin += isInMiddle90(speeds, trueSpeed(size)) ? 1 : 0;
        found.ratiosWithin += isInMiddle90(ratios, trueSpeed(size) / trueSpeed(best)) ? 1 : 0;
    }
    return found;
}

Found findAll(const std::string& world)
{
    const auto part = [&](std::uint64_t first, std::uint64_t step) {
        Found sum;
        for (std::uint64_t seed = first; seed < syntheticSweeps; seed += step) {
            const Found found = findOf(world, seed + 1);
            sum.intervals += found.intervals;
            sum.speedsWithin += found.speedsWithin;
            sum.ratiosWithin += found.ratiosWithin;
            sum.perfectShare += found.perfectShare / syntheticSweeps;
            sum.isPerfectRight += found.isPerfectRight / syntheticSweeps;
        }
        return sum;
    };
    auto other = std::async(std::launch::async, part, 0, 2);
    Found sum = part(1, 2);
    const Found rest = other.get();
    sum.intervals += rest.intervals;
    sum.speedsWithin += rest.speedsWithin;
    sum.ratiosWithin += rest.ratiosWithin;
    sum.perfectShare += rest.perfectShare;
    sum.isPerfectRight += rest.isPerfectRight;
    return sum;
}

} // namespace

class SweepTruthTest : public QObject
{
    Q_OBJECT

private slots:
    void coversTheTruth_data()
    {
        rows<std::string>({{"run noise", ""},
                           {"two-speed", "two-speed"},
                           {"bursts", "bursts"},
                           {"trial noise", "trial noise"},
                           {"replayed", "replayed"}});
    }
    void coversTheTruth()
    {
        const Found found = findAll(row<std::string>());
        const double speeds = found.speedsWithin / double(found.intervals);
        const double ratios = found.ratiosWithin / double(found.intervals);
        const std::string text = "speeds " + std::to_string(speeds) + ", ratios " + std::to_string(ratios) +
                                 ", stated " + std::to_string(found.perfectShare) + ", right " +
                                 std::to_string(found.isPerfectRight);
        QVERIFY2(ratios > 0.87 && ratios < 0.96, text.c_str());
        QVERIFY2(speeds > 0.80 && speeds < 0.97, text.c_str());
        QVERIFY2(std::abs(found.perfectShare - found.isPerfectRight) < 0.03, text.c_str());
    }

    /// Each on its own, the luckiest of so many equal sizes would look 2 % better than most.
    void takesEqualSizesForEqual()
    {
        ReplayDevice::Truth truth = deviceOf("equal", 3, "trial noise");
        truth.seconds = [](std::int64_t size) { return 0.01 * static_cast<double>(size); };
        truth.peakBytes = [](std::int64_t) { return 0.0; };
        truth.setupSeconds = 0.4;
        ReplayDevice device(truth, 3);
        const std::vector<std::int64_t> sizes = gridUpTo(64);
        const SweepTruth possible(sweepOf(device, sizes, 3), 3);
        const TruthVerdict verdict(possible.draws(), sizes, tolerance, [&](int draw, std::int64_t size) {
            return possible.samplesPerSecond(draw, size);
        });
        for (const std::int64_t size : sizes) {
            QVERIFY2(verdict.shareWithin(size) > 0.9, std::to_string(verdict.shareWithin(size)).c_str());
            QVERIFY(verdict.regret(size) < 0.01);
        }
    }

    /// One visit that something held up for long must not make its size a slow one.
    void isNotMovedByOneStall()
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

    void goesBetweenSizes()
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
        const TruthVerdict verdict(4, {1, 2, 3}, tolerance, [&](int draw, std::int64_t size) {
            return speeds[static_cast<std::size_t>(draw)][static_cast<std::size_t>(size - 1)];
        });
        QCOMPARE(verdict.shareWithin(1), 0.5);
        QCOMPARE(verdict.shareWithin(2), 0.75);
        QCOMPARE(verdict.shareWithin(3), 0.5);
        QCOMPARE(verdict.perfectSize(), 2);
        QCOMPARE(verdict.perfectShare(), 0.75);
        QCOMPARE(verdict.regret(2), 0.015);
        QCOMPARE(verdict.shareBetween(1, 94.0, 101.0), 0.75);
        QVERIFY_EXCEPTION_THROWN(TruthVerdict(4, {}, tolerance, {}), std::invalid_argument);
    }
};

BATCHPEAK_TEST(SweepTruthTest)
#include "tst_sweep_truth.moc"
