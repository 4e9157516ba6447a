// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_study.h"

#include "device_families.h"

#include <algorithm>
#include <future>
#include <utility>

using batchpeak::search::RandomSource;

namespace {

constexpr int rounds = 8;
constexpr std::size_t maxSizes = 12;

/// Results of one or more synthetic sweeps, whose truth is known.
struct SweepResult
{
    /// Number of 90 % intervals, and of those that contain the true value: for the speed of each size, and
    /// for its ratio to that of the best size.
    int intervals = 0;
    int speedsWithin = 0;
    int ratiosWithin = 0;
    /// Probability that the perfect forecaster states, and 1 if it is right; summed over the sweeps.
    double perfectShare = 0.0;
    double isPerfectRight = 0.0;

    SweepResult& operator+=(const SweepResult& other)
    {
        intervals += other.intervals;
        speedsWithin += other.speedsWithin;
        ratiosWithin += other.ratiosWithin;
        perfectShare += other.perfectShare;
        isPerfectRight += other.isPerfectRight;
        return *this;
    }
};

bool isInMiddle90(std::vector<double> values, double truth)
{
    std::ranges::sort(values);
    const auto at = [&](double share) {
        return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
    };
    return truth >= at(0.05) && truth <= at(0.95);
}

SweepResult studyOneSweep(const std::string& world, std::uint64_t seed)
{
    std::vector<std::string> families = calibrationFamilies();
    // These families occur more often: if the best size is not obvious, a forecaster most easily mistakes a
    // lucky size for it.
    families.insert(families.end(), {"equal", "plateau", "equal", "plateau"});
    ReplayDevice::Truth truth = deviceOf(families[seed % families.size()], seed, world);
    // Shortens the steps, since one sweep of some families would last hours; the absolute time of a step does
    // not matter.
    const double shorter = 0.05 / truth.seconds(8);
    truth.seconds = [=, seconds = truth.seconds](std::int64_t size) { return shorter * seconds(size); };
    truth.setupSeconds = 0.4;
    if (world.empty())
        truth.runNoise = 0.01;
    ReplayDevice device(truth, seed);
    const std::vector<std::int64_t> sizes = gridUpTo(std::min<std::int64_t>(device.largestFit(), 96));
    const SweepTruth possible(sweepOf(device, sizes, seed), seed, 200);
    const TruthVerdict verdict(possible.draws(), sizes, sweepTolerance, [&](int draw, std::int64_t size) {
        return possible.samplesPerSecond(draw, size);
    });
    const double slowdown = device.meanSlowdown();
    const auto trueSpeed = [&](std::int64_t size) { return device.speed(size) / slowdown; };
    const std::int64_t best = *std::ranges::max_element(sizes, {}, trueSpeed);
    SweepResult found{.perfectShare = verdict.perfectShare()};
    found.isPerfectRight =
        trueSpeed(verdict.perfectSize()) >= (1.0 - sweepTolerance) * trueSpeed(best) ? 1.0 : 0.0;
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

} // namespace

std::vector<std::int64_t> gridUpTo(std::int64_t largest)
{
    std::vector<std::int64_t> sizes;
    for (double size = 1.0; size <= static_cast<double>(largest); size = std::max(size + 1.0, 1.25 * size))
        sizes.push_back(static_cast<std::int64_t>(size));
    if (sizes.size() > maxSizes)
        sizes.erase(sizes.begin(), sizes.end() - maxSizes);
    return sizes;
}

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

SweepStudy studySweeps(const std::string& world, int sweeps)
{
    const auto part = [&](int first, int step) {
        SweepResult sum;
        for (int sweep = first; sweep < sweeps; sweep += step)
            sum += studyOneSweep(world, static_cast<std::uint64_t>(sweep) + 1);
        return sum;
    };
    auto other = std::async(std::launch::async, part, 0, 2);
    SweepResult sum = part(1, 2);
    sum += other.get();
    const double intervals = std::max(1, sum.intervals);
    return {.speedsWithin = sum.speedsWithin / intervals,
            .ratiosWithin = sum.ratiosWithin / intervals,
            .perfectShare = sum.perfectShare / sweeps,
            .perfectRight = sum.isPerfectRight / sweeps};
}
