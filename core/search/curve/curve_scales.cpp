// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "curve_scales.h"

#include <cmath>
#include <iterator>

namespace batchpeak::search {

namespace {

constexpr double smoothValues[] = {0.003, 0.012, 0.04, 0.12};
constexpr double roughValues[] = {0.001, 0.004, 0.012, 0.035, 0.1, 0.25};
/// What changes from run to run: slowly, and at once. The last are of a computer that is not left alone.
struct Unrest
{
    double drift;
    double run;
    double logPrior;
};
constexpr Unrest unrests[] = {{0.002, 0.0015, 0.0}, {0.002, 0.005, 0.0}, {0.002, 0.015, 0.0},
                              {0.015, 0.0015, 0.0}, {0.015, 0.005, 0.0}, {0.015, 0.015, 0.0},
                              {0.002, 0.06, -2.5},  {0.08, 0.015, -4.0}};

// Curves that leave their physical part by this much are rare.
double smoothLogPrior(double smooth)
{
    return smooth > 0.1 ? -0.3 : 0.0;
}

double roughLogPrior(double rough)
{
    return (rough > 0.05 ? -0.7 : 0.0) + (rough > 0.2 ? -0.7 : 0.0);
}

std::vector<CurveScales> makeGrid()
{
    std::vector<CurveScales> grid;
    const double lengthLogPrior = -std::log(static_cast<double>(std::size(roughLengths)));
    for (const double smooth : smoothValues) {
        for (const double rough : roughValues) {
            for (const double roughLength : roughLengths) {
                // The smallest rough part is next to none, so its length says nothing.
                const bool isNone = rough == roughValues[0];
                if (isNone && roughLength != CurveScales{}.roughLength)
                    continue;
                for (const Unrest& unrest : unrests) {
                    grid.push_back({.smooth = smooth,
                                    .rough = rough,
                                    .roughLength = roughLength,
                                    .drift = unrest.drift,
                                    .run = unrest.run,
                                    .logPrior = smoothLogPrior(smooth) + roughLogPrior(rough) +
                                                (isNone ? 0.0 : lengthLogPrior) + unrest.logPrior});
                }
            }
        }
    }
    return grid;
}

} // namespace

const std::vector<CurveScales>& curveScalesGrid()
{
    static const std::vector<CurveScales> grid = makeGrid();
    return grid;
}

} // namespace batchpeak::search
