// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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
// are others. tests/bench/search prints the check.
constexpr Map exploreMaps[] = {{0.005, 0.254, 0.376, 0.266},
                               {0.01, 0.696, 0.412, 0.570},
                               {0.02, 1.284, 0.337, 1.234},
                               {0.05, 1.684, 0.399, 1.155}};
constexpr Map divisorsMap{0.02, 0.61, 0.96, -0.17};
constexpr Map severalDevicesMap{0.02, 1.185, 0.642, 0.0};
constexpr double usualTolerance = 0.02;

constexpr double leastShare = 0.005;
constexpr double usualTrials = 8.0;

double mix(double a, double b, double share)
{
    return a + share * (b - a);
}

Map exploreMapAt(double tolerance)
{
    const auto above =
        std::ranges::find_if(exploreMaps, [=](const Map& m) { return m.tolerance >= tolerance; });
    if (above == std::begin(exploreMaps))
        return exploreMaps[0];
    if (above == std::end(exploreMaps))
        return *std::prev(above);
    const Map& low = *std::prev(above);
    const double share = std::log(tolerance / low.tolerance) / std::log(above->tolerance / low.tolerance);
    return {tolerance, mix(low.intercept, above->intercept, share), mix(low.slope, above->slope, share),
            mix(low.growth, above->growth, share)};
}

/// A map that is known at the usual tolerance alone is moved as the map of all sizes moves.
Map movedWithTolerance(const Map& atUsual, double tolerance)
{
    const Map usual = exploreMapAt(usualTolerance);
    const Map wanted = exploreMapAt(tolerance);
    return {tolerance, atUsual.intercept + wanted.intercept - usual.intercept,
            atUsual.slope * wanted.slope / usual.slope, atUsual.growth};
}

Map mapFor(const CalibrationCase& situation)
{
    if (situation.divisorsOnly)
        return movedWithTolerance(divisorsMap, situation.tolerance);
    if (situation.severalDevices)
        return movedWithTolerance(severalDevicesMap, situation.tolerance);
    return exploreMapAt(situation.tolerance);
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

} // namespace batchpeak::search
