// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trend.h"

#include "observations.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

// Relative to 1 for no alignment: as long as no other size was tried, nothing favors one.
constexpr std::int64_t defaultAlignment = 8;
constexpr double defaultProbability = 0.6;
constexpr std::int64_t powerAlignments[] = {4, 16, 32, 64};
constexpr double powerProbability = 0.15;
/// Probability of all other numbers together, and the largest of them. What suits a device can be any number,
/// though hardly an odd one, and a size with many divisors shows many of them at once.
constexpr double rareProbability = 0.25;
constexpr std::int64_t largestRare = 128;
constexpr double oddPlausibility = 0.1;

// Sizes of waves that were seen on GPUs, in addition to those that divide the measured sizes.
constexpr double defaultWaves[] = {8., 16., 32., 48., 64., 96., 128., 192., 256., 384., 512., 768., 1024.};

// Surcharges as shares of the time per sample. A cliff can be anywhere, but is most often near the end of
// memory.
constexpr double waveDeviation = 0.4;
constexpr double cliffDeviation = 0.8;
constexpr double riseProbability = 0.15;
constexpr double dropProbability = 0.05;

std::vector<double> measuredSizes(const Observations& trials)
{
    std::vector<double> sizes(trials.size.begin(), trials.size.end());
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// Returns the plausibility of an alignment relative to others: vectors, tiles and caches come in powers of
/// two and small multiples of them.
double plausibility(std::int64_t alignment)
{
    const auto powerOfTwo = alignment & -alignment;
    return (powerOfTwo > 1 ? 1.0 : oddPlausibility) * static_cast<double>(powerOfTwo) /
           static_cast<double>(alignment);
}

/// Returns how much longer a sample takes [s] above a rise than below, judged by the sizes next to it: a
/// cliff may be a hundred times as high as most are. Returns 0 if a sample does not take longer, or if there
/// is no rise.
double riseOf(const Observations& trials, const Trend& trend)
{
    Eigen::Index below = -1;
    Eigen::Index above = -1;
    for (Eigen::Index i = 0; i < trials.count(); ++i) {
        Eigen::Index& nearest = trials.size[i] <= trend.riseAfter ? below : above;
        const double distance = std::abs(trials.size[i] - trend.riseAfter);
        if (nearest < 0 || distance < std::abs(trials.size[nearest] - trend.riseAfter))
            nearest = i;
    }
    if (trend.riseAfter <= 0.0 || below < 0 || above < 0 ||
        trials.contention[below] + trials.contention[above] > 0.0)
        return 0.0;
    const auto perSample = [&](Eigen::Index i) { return trials.medianSeconds[i] / trials.size[i]; };
    return std::max(0.0, perSample(above) - perSample(below));
}

} // namespace

Eigen::Vector4d Trend::features(double size) const
{
    double steps = 0.0;
    // A size that is a whole number of waves up to rounding must not need one more wave.
    if (wave > 0.0)
        steps = wave * std::ceil(size / wave - 1e-9);
    else if ((riseAfter > 0.0 && size > riseAfter) || size <= dropAfter)
        steps = size;
    const bool isAligned = static_cast<std::int64_t>(size) % alignment == 0;
    return {1.0, size, steps, isAligned ? 0.0 : size};
}

std::vector<CandidateTrend> alignedTrends(double largestFit)
{
    std::vector<CandidateTrend> trends{CandidateTrend{}};
    trends.push_back({.trend = {.alignment = defaultAlignment}, .logPrior = std::log(defaultProbability)});
    for (const std::int64_t alignment : powerAlignments)
        trends.push_back({.trend = {.alignment = alignment}, .logPrior = std::log(powerProbability)});
    const std::size_t common = trends.size();
    double plausibilities = 0.0;
    for (std::int64_t rare = 3; rare <= largestRare && 2.0 * static_cast<double>(rare) <= largestFit;
         ++rare) {
        if (rare == defaultAlignment || std::ranges::find(powerAlignments, rare) != std::end(powerAlignments))
            continue;
        trends.push_back({.trend = {.alignment = rare}, .logPrior = std::log(plausibility(rare))});
        plausibilities += plausibility(rare);
    }
    for (std::size_t i = common; i < trends.size(); ++i)
        trends[i].logPrior += std::log(rareProbability / plausibilities);
    return trends;
}

std::vector<CandidateTrend> waveTrends(const Observations& trials, double largestFit)
{
    const double largest = trials.size.maxCoeff();
    const double longest = std::max(largest, 0.5 * largestFit);
    std::vector<CandidateTrend> trends;
    for (int eighths = 8; eighths <= 256; eighths += eighths < 64 ? 1 : 2) {
        if (const double wave = longest * 8.0 / eighths; wave >= 2.0)
            trends.push_back({.trend = {.wave = wave}});
    }
    for (const double wave : defaultWaves) {
        if (wave > largest / 40.0 && wave < largest)
            trends.push_back({.trend = {.wave = wave}});
    }
    for (CandidateTrend& trend : trends)
        trend.logPrior = -std::log(static_cast<double>(trends.size()));
    return trends;
}

std::vector<CandidateTrend> cliffTrends(const Observations& trials, double largestFit)
{
    const std::vector<double> sizes = measuredSizes(trials);
    const double end = std::max(largestFit, sizes.back()) + 1.0;
    std::vector<CandidateTrend> trends;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        const double ofLogarithms = std::log(sizes[i + 1] / sizes[i]) / std::log(end);
        const double ofSizes = (sizes[i + 1] - sizes[i]) / end;
        const double share = 0.5 * (ofLogarithms + ofSizes);
        trends.push_back({.trend = {.riseAfter = sizes[i]}, .logPrior = std::log(riseProbability * share)});
        trends.push_back({.trend = {.dropAfter = sizes[i]}, .logPrior = std::log(dropProbability * share)});
    }
    return trends;
}

Trend withCliffMoved(const Trend& trend, const Observations& trials, double share)
{
    const double from = std::max(trend.riseAfter, trend.dropAfter);
    if (from <= 0.0)
        return trend;
    const std::vector<double> sizes = measuredSizes(trials);
    const auto next = std::ranges::upper_bound(sizes, from);
    if (next == sizes.end())
        return trend;
    Trend moved = trend;
    (trend.riseAfter > 0.0 ? moved.riseAfter : moved.dropAfter) = std::floor(from + share * (*next - from));
    return moved;
}

CoefficientPrior::CoefficientPrior(const Observations& trials, const Trend& trend)
{
    const double shortest = trials.seconds.minCoeff();
    const double perSample = trials.seconds.cwiseQuotient(trials.size).minCoeff();
    const double steps = trend.wave > 0.0 ? waveDeviation * perSample
                                          : std::max(cliffDeviation * perSample, riseOf(trials, trend));
    mean = {0.5 * shortest, 0.55 * perSample, 0.0, 0.0};
    deviation = {1.5 * shortest, 0.6 * perSample, steps, 0.06 * perSample};
}

} // namespace batchpeak::search
