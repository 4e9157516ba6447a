// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

namespace batchpeak::search {

namespace {

/// p = 1 / (1 + exp(-(intercept + slope logit(share) + growth ln(trials / 8))))
struct Map
{
    double tolerance;
    double intercept;
    double slope;
    double growth;
};

// Fitted on simulated searches that ran on to 40 trials; the families of curves that they were checked on
// are others. "make calibrate-search" does both.
constexpr Map exploreMaps[] = {{0.005, 0.485, 0.382, 0.157},
                               {0.01, 0.909, 0.372, 0.476},
                               {0.02, 1.532, 0.393, 1.225},
                               {0.05, 2.117, 0.389, 1.558}};
constexpr Map divisorsMaps[] = {{0.005, 1.100, 0.808, 0.702},
                                {0.01, 1.597, 0.789, 1.276},
                                {0.02, 1.761, 0.771, 1.258},
                                {0.05, 1.199, 0.754, 0.629}};
constexpr Map severalDevicesMap{0.02, 0.903, 0.488, 0.814};

constexpr double leastShare = 0.005;
constexpr double usualTrials = 8.0;

double mix(double a, double b, double share)
{
    return a + share * (b - a);
}

/// Between two tolerances in the logarithm; beyond the first and the last as there.
Map mapAt(std::span<const Map> maps, double tolerance)
{
    const auto above = std::ranges::find_if(maps, [=](const Map& m) { return m.tolerance >= tolerance; });
    if (above == maps.begin())
        return maps.front();
    if (above == maps.end())
        return maps.back();
    const Map& low = *std::prev(above);
    const double share = std::log(tolerance / low.tolerance) / std::log(above->tolerance / low.tolerance);
    return {tolerance, mix(low.intercept, above->intercept, share), mix(low.slope, above->slope, share),
            mix(low.growth, above->growth, share)};
}

/// A map that is known at one tolerance alone is moved as the map of one device moves.
Map movedWithTolerance(const Map& known, double tolerance)
{
    const Map from = mapAt(exploreMaps, known.tolerance);
    const Map to = mapAt(exploreMaps, tolerance);
    return {tolerance, known.intercept + to.intercept - from.intercept, known.slope * to.slope / from.slope,
            known.growth};
}

Map mapFor(const CalibrationCase& situation)
{
    if (situation.divisorsOnly)
        return mapAt(divisorsMaps, situation.tolerance);
    if (situation.severalDevices)
        return movedWithTolerance(severalDevicesMap, situation.tolerance);
    return mapAt(exploreMaps, situation.tolerance);
}

} // namespace

double calibratedProbability(const CalibrationCase& situation, double share, int trials)
{
    const Map map = mapFor(situation);
    const double clipped = std::clamp(share, leastShare, 1.0 - leastShare);
    const double logit = std::log(clipped / (1.0 - clipped));
    const double growth = std::log(std::max(trials, 1) / usualTrials);
    return 1.0 / (1.0 + std::exp(-(map.intercept + map.slope * logit + map.growth * growth)));
}

int confidencePercent(double probability)
{
    return static_cast<int>(std::clamp(std::round(100.0 * probability), 1.0, 99.0));
}

} // namespace batchpeak::search
