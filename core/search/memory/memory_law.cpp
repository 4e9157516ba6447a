// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_law.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

// A caching allocator rounds to segments of 2 and 20 MiB, and libraries choose workspaces by size: what a
// peak may lie off the line [MiB; share of the peak].
constexpr double roundingMebibytes = 24.0;
constexpr double roundingShare = 0.006;
// Further off the largest trial the line counts for less, per halving of the size. These were found on 472
// simulated memory curves.
constexpr double distancePenalty = 0.5;
constexpr double smallestSlope = 1e-9;

// One curve in three has a workspace that appears on the way; of half a percent to 5 % of the device.
constexpr double stepProbability = 0.35;
constexpr double stepShares[] = {0.005, 0.015, 0.025, 0.035, 0.045};
// Few curves are a power of the size and not affine.
constexpr double powerProbability = 0.12;
constexpr double powers[] = {0.94, 0.97, 1.03, 1.06, 1.09, 1.12};
// A slope that falls or a constant this far below nothing is no memory; as a share of the device.
constexpr double negativeConstantShare = -0.05;
constexpr double absurdLogWeight = -8.0;

struct WeightedPeak
{
    double growth = 1.0;
    double mebibytes = 0.0;
    double weight = 1.0;
};

/// Fills in constant, slope and deviation; \return the sum of squared residuals over their variances.
double fit(MemoryLaw& law, const std::vector<MemoryPeak>& peaks)
{
    std::vector<WeightedPeak> points;
    for (const MemoryPeak& peak : peaks) {
        const double deviation = std::hypot(roundingMebibytes, roundingShare * peak.mebibytes) *
                                 (1.0 + distancePenalty * std::log2(law.largestSize / peak.size));
        const double step = law.stepAfter > 0.0 && peak.size > law.stepAfter ? law.stepMebibytes : 0.0;
        points.push_back({.growth = law.growth(peak.size),
                          .mebibytes = peak.mebibytes - step,
                          .weight = 1.0 / (deviation * deviation)});
    }
    // Weighted normal equations; the ridge keeps them solvable.
    double weights = 0.0;
    double growths = 0.0;
    double squares = 1e-9;
    double values = 0.0;
    double products = 0.0;
    for (const WeightedPeak& point : points) {
        weights += point.weight;
        growths += point.weight * point.growth;
        squares += point.weight * point.growth * point.growth;
        values += point.weight * point.mebibytes;
        products += point.weight * point.growth * point.mebibytes;
    }
    const double determinant = weights * squares - growths * growths;
    law.perSample = (weights * products - growths * values) / determinant;
    law.constantMebibytes = (squares * values - growths * products) / determinant;
    law.deviation = std::sqrt(weights / determinant);
    double residuals = 0.0;
    for (const WeightedPeak& point : points) {
        const double residual = point.mebibytes - law.constantMebibytes - law.perSample * point.growth;
        residuals += point.weight * residual * residual;
    }
    return residuals;
}

double logWeightOf(MemoryLaw& law, const std::vector<MemoryPeak>& peaks, double prior, double limitMebibytes)
{
    double logWeight = std::log(prior) - 0.5 * fit(law, peaks);
    if (law.perSample <= 0.0 || law.constantMebibytes < negativeConstantShare * limitMebibytes)
        logWeight += absurdLogWeight;
    law.perSample = std::max(law.perSample, smallestSlope);
    return logWeight;
}

double largestSize(const std::vector<MemoryPeak>& peaks)
{
    return std::ranges::max_element(peaks, {}, &MemoryPeak::size)->size;
}

} // namespace

double MemoryLaw::growth(double size) const
{
    return power == 1.0 ? size : largestSize * std::pow(size / largestSize, power);
}

double MemoryLaw::mebibytesAt(double size) const
{
    const double step = stepAfter > 0.0 && size > stepAfter ? stepMebibytes : 0.0;
    return constantMebibytes + perSample * growth(size) + step;
}

std::optional<MemoryLaw> affineMemoryLaw(const std::vector<MemoryPeak>& peaks)
{
    const bool isOneSize =
        std::ranges::all_of(peaks, [&](const MemoryPeak& peak) { return peak.size == peaks.front().size; });
    if (isOneSize)
        return std::nullopt;
    MemoryLaw law{.largestSize = largestSize(peaks)};
    fit(law, peaks);
    law.perSample = std::max(law.perSample, smallestSlope);
    return law;
}

std::vector<MemoryLaw> weighMemoryLaws(const std::vector<MemoryPeak>& peaks, double limitMebibytes)
{
    std::optional<MemoryLaw> affine = affineMemoryLaw(peaks);
    if (!affine)
        return {};
    std::vector<double> sizes(peaks.size());
    std::ranges::transform(peaks, sizes.begin(), &MemoryPeak::size);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    const double last = sizes.back();
    const double room = (limitMebibytes - affine->mebibytesAt(last)) / affine->perSample;
    const double limit = last + std::max(room, 0.0);

    std::vector<MemoryLaw> laws;
    const double seen = (last - sizes.front()) / limit;
    affine->logWeight =
        logWeightOf(*affine, peaks, 1.0 - powerProbability - stepProbability * seen, limitMebibytes);
    laws.push_back(*affine);
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        const double prior =
            stepProbability * (sizes[i + 1] - sizes[i]) / limit / static_cast<double>(std::size(stepShares));
        for (const double share : stepShares) {
            MemoryLaw law{
                .stepAfter = sizes[i], .stepMebibytes = share * limitMebibytes, .largestSize = last};
            law.logWeight = logWeightOf(law, peaks, prior, limitMebibytes);
            laws.push_back(law);
        }
    }
    for (const double power : powers) {
        MemoryLaw law{.power = power, .largestSize = last};
        law.logWeight = logWeightOf(law, peaks, powerProbability / static_cast<double>(std::size(powers)),
                                    limitMebibytes);
        laws.push_back(law);
    }
    return laws;
}

} // namespace batchpeak::search
