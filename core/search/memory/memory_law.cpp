// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_law.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace batchpeak::search {

namespace {

// A caching allocator rounds to segments of 2 and 20 MiB, and libraries choose workspaces by size. A peak may
// deviate from the line by this much [MiB; share of the peak].
constexpr double roundingMebibytes = 24.0;
constexpr double roundingShare = 0.006;
// The line counts for less at a distance from the largest trial, per halving of the size. These values were
// found on 472 simulated memory curves.
constexpr double distancePenalty = 0.5;
constexpr double smallestMemorySlope = 1e-9;

// One curve in three has a workspace that appears on the way. Its size is half a percent to 5 % of the
// device's memory.
constexpr double stepProbability = 0.35;
constexpr double stepShares[] = {0.005, 0.015, 0.025, 0.035, 0.045};
// Few curves are a power of the size and not affine.
constexpr double powerLawProbability = 0.12;
constexpr double powers[] = {0.94, 0.97, 1.03, 1.06, 1.09, 1.12};
// Even fewer compare each sample with each, or have an allocator that rounds coarsely.
constexpr double squareProbability = 0.02;
constexpr double squareShares[] = {0.015, 0.04, 0.1, 0.25, 0.5};
constexpr double roughProbability = 0.08;
constexpr double roughShares[] = {0.015, 0.035};
/// If a law is this many standard deviations off, the description is not believed, and counts no further.
constexpr double maxDescriptionError = 2.5;
// A falling slope, or a constant this far below zero as a share of the device's memory, is not plausible.
constexpr double negativeConstantShare = -0.05;
constexpr double absurdLogWeight = -8.0;

double deviationOf(const MemoryLaw& law, const MemoryPeak& peak)
{
    return std::hypot(roundingMebibytes, std::max(roundingShare, law.roughness) * peak.mebibytes) *
           (1.0 + distancePenalty * std::log2(law.largestSize / peak.size));
}

double stepAt(const MemoryLaw& law, double size)
{
    return law.stepAfter > 0.0 && size > law.stepAfter ? law.stepMebibytes : 0.0;
}

/// Sums of the weighted normal equations; a ridge term in them keeps them solvable.
struct NormalSums
{
    double weights = 0.0;
    double growths = 0.0;
    double squares = 1e-9;
    double values = 0.0;
    double products = 0.0;
};

double descriptionError(const MemoryLaw& law, const MemoryBackground& background)
{
    const double deviation = std::hypot(law.deviation, background.perSampleDeviation);
    return background.isDescribed() ? (law.perSample - background.perSample) / deviation : 0.0;
}

/// Updates the slope's mean and deviation, with the description taken as a measurement of the slope. The law
/// still passes through the same largest trials.
void agreeWith(const MemoryBackground& background, MemoryLaw& law)
{
    if (!background.isDescribed() || std::abs(descriptionError(law, background)) > maxDescriptionError)
        return;
    const double measured = std::pow(law.deviation, -2.0);
    const double described = std::pow(background.perSampleDeviation, -2.0);
    const double slope =
        (measured * law.perSample + described * background.perSample) / (measured + described);
    law.constantMebibytes += (law.perSample - slope) * law.growth(law.largestSize);
    law.perSample = slope;
    law.deviation = 1.0 / std::sqrt(measured + described);
}

NormalSums normalSums(const MemoryLaw& law, const std::vector<MemoryPeak>& peaks)
{
    NormalSums sums;
    for (const MemoryPeak& peak : peaks) {
        if (peak.size <= law.holdsAfter)
            continue;
        const double weight = std::pow(deviationOf(law, peak), -2.0);
        const double growth = law.growth(peak.size);
        const double value = peak.mebibytes - stepAt(law, peak.size);
        sums.weights += weight;
        sums.growths += weight * growth;
        sums.squares += weight * growth * growth;
        sums.values += weight * value;
        sums.products += weight * growth * value;
    }
    return sums;
}

/// Fits constant, slope and deviation.
void fit(MemoryLaw& law, const std::vector<MemoryPeak>& peaks)
{
    const NormalSums sums = normalSums(law, peaks);
    const double determinant = sums.weights * sums.squares - sums.growths * sums.growths;
    law.perSample = (sums.weights * sums.products - sums.growths * sums.values) / determinant;
    law.constantMebibytes = (sums.squares * sums.values - sums.growths * sums.products) / determinant;
    law.deviation = std::sqrt(sums.weights / determinant);
}

/// Fits slope and deviation; the constant is known.
void fitSlope(MemoryLaw& law, const std::vector<MemoryPeak>& peaks)
{
    const NormalSums sums = normalSums(law, peaks);
    law.perSample = (sums.products - law.constantMebibytes * sums.growths) / sums.squares;
    law.deviation = 1.0 / std::sqrt(sums.squares);
}

/// Returns what another moment of the step needs, from the trials for which \p law does not hold: a line or,
/// for a single size, the peak itself.
std::function<double(double)> earlierNeed(const MemoryLaw& law, std::vector<MemoryPeak> peaks)
{
    std::erase_if(peaks, [&](const MemoryPeak& peak) { return peak.size > law.holdsAfter; });
    if (const auto line = affineMemoryLaw(peaks))
        return [line](double size) { return line->mebibytesAt(size); };
    const double need = peaks.empty() ? 0.0 : peaks.front().mebibytes;
    return [need](double) { return need; };
}

double logLikelihood(const MemoryLaw& law, const std::vector<MemoryPeak>& peaks)
{
    const auto earlier = earlierNeed(law, peaks);
    double sum = 0.0;
    for (const MemoryPeak& peak : peaks) {
        double expected = law.mebibytesAt(peak.size);
        if (peak.size <= law.holdsAfter)
            expected = std::max(expected, earlier(peak.size));
        const double deviation = deviationOf(law, peak);
        const double residual = (peak.mebibytes - expected) / deviation;
        sum -= 0.5 * residual * residual + std::log(deviation);
    }
    return sum;
}

void weigh(MemoryLaw& law, const std::vector<MemoryPeak>& peaks, double prior,
           const MemoryBackground& background)
{
    const double error = std::min(std::abs(descriptionError(law, background)), maxDescriptionError);
    law.logWeight = std::log(prior) + logLikelihood(law, peaks) - 0.5 * error * error;
    agreeWith(background, law);
    if (law.perSample <= 0.0 || law.constantMebibytes < negativeConstantShare * background.limitMebibytes)
        law.logWeight += absurdLogWeight;
    law.perSample = std::max(law.perSample, smallestMemorySlope);
}

double largestSize(const std::vector<MemoryPeak>& peaks)
{
    return std::ranges::max_element(peaks, {}, &MemoryPeak::size)->size;
}

/// Ascending, each once.
std::vector<double> sizesOf(const std::vector<MemoryPeak>& peaks)
{
    std::vector<double> sizes(peaks.size());
    std::ranges::transform(peaks, sizes.begin(), &MemoryPeak::size);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// A kind of law, and its prior probability.
struct Hypothesis
{
    MemoryLaw law;
    double prior = 0.0;
};

void addSteps(std::vector<Hypothesis>& hypotheses, const std::vector<double>& sizes, double largestFit,
              double limitMebibytes)
{
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        const double share = (sizes[i + 1] - sizes[i]) / largestFit;
        for (const double step : stepShares)
            hypotheses.push_back(
                {.law = {.stepAfter = sizes[i], .stepMebibytes = step * limitMebibytes},
                 .prior = stepProbability * share / static_cast<double>(std::size(stepShares))});
    }
}

void addCurves(std::vector<Hypothesis>& hypotheses)
{
    for (const double power : powers)
        hypotheses.push_back(
            {.law = {.power = power}, .prior = powerLawProbability / static_cast<double>(std::size(powers))});
    for (const double share : squareShares)
        hypotheses.push_back({.law = {.squareShare = share},
                              .prior = squareProbability / static_cast<double>(std::size(squareShares))});
    for (const double share : roughShares)
        hypotheses.push_back({.law = {.roughness = share},
                              .prior = roughProbability / static_cast<double>(std::size(roughShares))});
}

} // namespace

double MemoryLaw::growth(double size) const
{
    if (power != 1.0)
        return largestSize * std::pow(size / largestSize, power);
    return size * (1.0 - squareShare + squareShare * size / largestSize);
}

double MemoryLaw::mebibytesAt(double size) const
{
    return constantMebibytes + perSample * growth(size) + stepAt(*this, size);
}

std::optional<MemoryLaw> affineMemoryLaw(const std::vector<MemoryPeak>& peaks)
{
    if (sizesOf(peaks).size() < 2)
        return std::nullopt;
    MemoryLaw law{.largestSize = largestSize(peaks)};
    fit(law, peaks);
    law.perSample = std::max(law.perSample, smallestMemorySlope);
    return law;
}

std::vector<MemoryLaw> weighMemoryLaws(const std::vector<MemoryPeak>& peaks,
                                       const MemoryBackground& background)
{
    const std::optional<MemoryLaw> affine = affineMemoryLaw(peaks);
    if (!affine)
        return {};
    const std::vector<double> sizes = sizesOf(peaks);
    const double last = sizes.back();
    const double room = (background.limitMebibytes - affine->mebibytesAt(last)) / affine->perSample;
    const double largestFit = last + std::max(room, 0.0);

    std::vector<Hypothesis> hypotheses;
    addSteps(hypotheses, sizes, largestFit, background.limitMebibytes);
    addCurves(hypotheses);
    double others = 0.0;
    for (const Hypothesis& hypothesis : hypotheses)
        others += hypothesis.prior;
    hypotheses.push_back({.law = {}, .prior = 1.0 - others});

    std::vector<MemoryLaw> laws;
    for (auto& [law, prior] : hypotheses) {
        law.largestSize = last;
        fit(law, peaks);
        weigh(law, peaks, prior, background);
        laws.push_back(law);
    }
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        MemoryLaw law{
            .holdsAfter = sizes[i], .constantMebibytes = background.heldMebibytes, .largestSize = last};
        fitSlope(law, peaks);
        weigh(law, peaks, changeOfMomentPerDoubling * std::log2(sizes[i + 1] / sizes[i]), background);
        laws.push_back(law);
    }
    return laws;
}

} // namespace batchpeak::search
