// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_model.h"

#include "candidate_set.h"
#include "random_source.h"
#include "trial_history.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace batchpeak::search {

namespace {

constexpr double bytesPerMebibyte = 1024.0 * 1024.0;

// Error of an extrapolation, found on 472 simulated memory curves: as shares of the limit, at a doubling and
// at distance zero, and as a share of the growth.
constexpr double doublingErrorShare = 0.0084;
constexpr double anchorErrorShare = 0.002;
constexpr double growthErrorShare = 0.012;
/// Memory may be a power of the size, so that the error of the growth increases with the distance of the
/// extrapolation. This is the standard deviation of the power.
constexpr double powerDeviation = 0.01;

// A workspace may also appear above all tried sizes.
constexpr double futureStepProbability = 0.35;
constexpr double largestStepShare = 0.05;

constexpr double smallestSlope = 1e-9;
/// The probability that the description is entirely wrong, so that any slope is possible.
constexpr double wrongDescription = 0.05;
/// Memory grows with the size, however unlikely the draw.
constexpr double smallestFactor = 0.1;
/// A risk of half a percent takes more draws than there are paths.
constexpr int attempts = 4 * MemoryModel::drawCount;
/// Draws that contradict a failure are dropped. If fewer than this remain, the laws err by more than they
/// claim.
constexpr std::size_t fewestDraws = 32;
/// Sizes are integers.
constexpr double sizePrecision = 0.01;
constexpr int maxIterations = 40;

/// Returns where a rising function crosses zero between low and high, from below: low if it is already
/// positive there, high if it never becomes positive. Uses the Illinois method, which finds the root of a
/// line at once (Dowell and Jarratt 1971, doi 10.1007/BF01934364).
template<typename Rising>
double rootBetween(double low, double high, const Rising& rising)
{
    double below = rising(low);
    double above = rising(high);
    if (below > 0.0)
        return low;
    if (above <= 0.0)
        return high;
    bool movedLow = false;
    for (int i = 0; i < maxIterations && high - low > sizePrecision; ++i) {
        const double middle = (low * above - high * below) / (above - below);
        const double value = rising(middle);
        const bool movesLow = value <= 0.0;
        (movesLow ? low : high) = middle;
        (movesLow ? below : above) = value;
        if (i > 0 && movesLow == movedLow)
            (movesLow ? above : below) *= 0.5;
        movedLow = movesLow;
    }
    return low;
}

using BytesOf = std::int64_t Measurement::*;

std::vector<MemoryPeak> peaksOf(const TrialHistory& history, BytesOf bytes)
{
    std::vector<MemoryPeak> peaks;
    for (const Measurement& trial : history.all()) {
        if (trial.ran() && trial.*bytes > 0)
            peaks.push_back(
                {static_cast<double>(trial.size), static_cast<double>(trial.*bytes) / bytesPerMebibyte});
    }
    return peaks;
}

std::optional<MemoryLine> lineOf(const std::vector<MemoryPeak>& peaks)
{
    const auto law = affineMemoryLaw(peaks);
    if (!law)
        return std::nullopt;
    // The line passes through the largest trial, where precision matters.
    const MemoryPeak last = *std::ranges::max_element(peaks, {}, &MemoryPeak::size);
    return MemoryLine{.constantBytes = (last.mebibytes - law->perSample * last.size) * bytesPerMebibyte,
                      .bytesPerSample = law->perSample * bytesPerMebibyte};
}

MemoryBackground backgroundOf(const SearchSpace& space)
{
    MemoryBackground background{.limitMebibytes =
                                    static_cast<double>(space.memoryLimitBytes) / bytesPerMebibyte,
                                .heldMebibytes = static_cast<double>(space.baselineBytes) / bytesPerMebibyte};
    if (space.memoryPrior) {
        background.perSample = space.memoryPrior->bytesPerSample / bytesPerMebibyte;
        background.perSampleDeviation = space.memoryPrior->deviation * background.perSample;
        if (space.baselineBytes == 0)
            background.heldMebibytes = space.memoryPrior->constantBytes / bytesPerMebibyte;
    }
    return background;
}

} // namespace

MemoryModel::MemoryModel(const SearchSpace& space, const CandidateSet& candidates,
                         const TrialHistory& history, RandomSource& random)
    : m_background(backgroundOf(space)),
      m_largestGood(history.largestGood()),
      m_largestInMemory(candidates.largest()),
      m_largestPossible(candidates.largest())
{
    noteFailures(history);
    const std::vector<MemoryPeak> peaks = peaksOf(history, &Measurement::peakReservedBytes);
    if (std::ranges::any_of(
            peaks, [&](const MemoryPeak& peak) { return peak.mebibytes <= m_background.heldMebibytes; }))
        m_background.heldMebibytes = 0.0;
    if (!peaks.empty() && m_background.limitMebibytes > 0.0 && m_largestGood < m_largestInMemory)
        drawFrom(peaks, random);
    if (m_ascendingFits.empty())
        std::ranges::generate_n(std::back_inserter(m_ascendingFits), drawCount,
                                [&] { return drawWithoutLaw(random); });
    if (m_smallestThrash > 0)
        boundByThrashing(random);
    // In random order: the step times have an order, and the two must not be correlated.
    while (m_largestFits.size() < drawCount) {
        const auto any =
            static_cast<std::size_t>(random.uniform() * static_cast<double>(m_ascendingFits.size()));
        m_largestFits.push_back(m_ascendingFits[any]);
    }
    std::ranges::sort(m_ascendingFits);

    if (m_background.limitMebibytes > 0.0 && !peaks.empty())
        m_line = lineOf(peaks);
    if (m_line)
        predictAlongLine(candidates);
    if (const auto allocated = peaksOf(history, &Measurement::peakAllocatedBytes); !allocated.empty())
        m_allocatedLine = lineOf(allocated);
}

void MemoryModel::noteFailures(const TrialHistory& history)
{
    std::int64_t outOfMemory = 0;
    for (const Measurement& trial : history.all()) {
        if (!history.hasFailed(trial.size))
            continue;
        if (trial.size < m_largestGood)
            m_isolatedFailures.push_back(trial.size);
        if (trial.size <= m_largestGood)
            continue;
        std::int64_t& smallest = trial.thrashes ? m_smallestThrash : outOfMemory;
        smallest = smallest > 0 ? std::min(smallest, trial.size) : trial.size;
    }
    if (outOfMemory > 0 && outOfMemory <= m_largestInMemory) {
        m_hasFailure = true;
        m_largestInMemory = std::max<std::int64_t>(outOfMemory - 1, 1);
    }
    m_largestPossible = m_largestInMemory;
    if (m_smallestThrash > 0)
        m_largestPossible = std::max<std::int64_t>(std::min(m_largestPossible, m_smallestThrash - 1), 1);
}

void MemoryModel::drawFrom(const std::vector<MemoryPeak>& peaks, RandomSource& random)
{
    const MemoryPeak last = *std::ranges::max_element(peaks, {}, &MemoryPeak::size);
    std::vector<MemoryLaw> laws = weighMemoryLaws(peaks, m_background);
    if (laws.empty())
        laws = lawsOfOneSize(last);
    for (const double errorFactor : {1.0, 3.0, 9.0}) {
        m_ascendingFits = drawAlong(laws, last, errorFactor, random);
        if (m_ascendingFits.size() >= fewestDraws)
            break;
    }
}

double MemoryModel::describedDensity(double perSample, double max) const
{
    const double deviation = m_background.perSampleDeviation;
    const double error = (perSample - m_background.perSample) / deviation;
    const double normal = std::exp(-0.5 * error * error) / (deviation * std::sqrt(2.0 * std::numbers::pi));
    return (1.0 - wrongDescription) * normal + wrongDescription / max;
}

std::vector<MemoryLaw> MemoryModel::lawsOfOneSize(const MemoryPeak& last) const
{
    // In the worst case, everything above the baseline, including workspaces and gradients, belongs to the
    // samples. Any smaller part is equally likely, except for what the description says.
    const double max = (last.mebibytes - m_background.heldMebibytes) / last.size;
    std::vector<MemoryLaw> laws;
    for (int part = 1; part <= drawCount; ++part) {
        const double share = (static_cast<double>(part) - 0.5) / drawCount;
        laws.push_back({.perSample = std::max(share * max, smallestSlope), .largestSize = last.size});
        if (m_background.isDescribed())
            laws.back().logWeight = std::log(describedDensity(laws.back().perSample, max));
    }
    return laws;
}

std::vector<std::int64_t> MemoryModel::drawAlong(const std::vector<MemoryLaw>& laws, const MemoryPeak& last,
                                                 double errorFactor, RandomSource& random) const
{
    std::vector<double> logWeights;
    std::ranges::transform(laws, std::back_inserter(logWeights), &MemoryLaw::logWeight);
    std::vector<std::int64_t> draws;
    for (const std::size_t law : resampleSystematically(logWeights, attempts, random)) {
        const double drawn = drawLimitAlong(laws[law], last, errorFactor, random);
        // Above m_largestInMemory, either a trial has failed, so that the draw contradicts it, or no size is
        // allowed, so that the draw counts as m_largestInMemory.
        const auto possible = static_cast<double>(m_largestInMemory);
        if (drawn < possible + 1.0 || !m_hasFailure)
            draws.push_back(static_cast<std::int64_t>(std::min(drawn, possible)));
    }
    return draws;
}

double MemoryModel::drawLimitAlong(const MemoryLaw& law, const MemoryPeak& last, double errorFactor,
                                   RandomSource& random) const
{
    const double lowest = static_cast<double>(std::max<std::int64_t>(m_largestGood, 1));
    const double highest = static_cast<double>(m_largestInMemory) + 1.0;
    const double perSample = std::max(law.perSample + law.deviation * random.normal(), smallestSlope);
    const double limitError = errorFactor * m_background.limitMebibytes * random.normal();
    const double growthError = errorFactor * random.normal();
    const double roughError = errorFactor * std::numbers::sqrt2 * law.roughness * random.normal();
    const double growthAtLast = law.growth(last.size);
    const double changesAt =
        last.size * std::exp2(-std::log(1.0 - random.uniform()) / changeOfMomentPerDoubling);
    const double steeperBy =
        steeperAfterChange(changesAt, last.mebibytes - perSample * growthAtLast, perSample, random.normal());
    const auto peakAt = [&](double size) {
        const double logRatio = std::log(std::max(size / last.size, 1.0));
        const double doublings = std::min(logRatio / std::numbers::ln2, 1.0);
        const double share = growthErrorShare + powerDeviation * logRatio;
        const double factor = std::max(1.0 + growthError * share, smallestFactor);
        const double growth = law.growth(size);
        return last.mebibytes + perSample * (factor * (growth - growthAtLast) + roughError * growth) +
               limitError * (doublingErrorShare * doublings + anchorErrorShare) +
               steeperBy * std::max(size - changesAt, 0.0);
    };
    const auto largestBeside = [&](double workspace, double from, double to) {
        return rootBetween(
            from, to, [&](double size) { return peakAt(size) + workspace - m_background.limitMebibytes; });
    };
    const double withoutStep = largestBeside(0.0, lowest, highest);
    const double position = last.size + (withoutStep - last.size) * random.uniform();
    const double step = largestStepShare * m_background.limitMebibytes * random.uniform();
    if (withoutStep <= last.size ||
        random.uniform() >= futureStepProbability * (1.0 - last.size / withoutStep))
        return withoutStep;
    return std::max(largestBeside(step, position, withoutStep), lowest);
}

double MemoryModel::steeperAfterChange(double changesAt, double constantMebibytes, double perSample,
                                       double normal) const
{
    const double beyondHeld = std::max(constantMebibytes - m_background.heldMebibytes, 0.0);
    const double max = beyondHeld / changesAt;
    if (!m_background.isDescribed())
        return max;
    const double described = m_background.perSample + m_background.perSampleDeviation * normal;
    return std::clamp(described - perSample, 0.0, max);
}

std::int64_t MemoryModel::drawWithoutLaw(RandomSource& random) const
{
    if (!m_hasFailure || m_largestGood == 0 || m_largestGood >= m_largestInMemory)
        return m_largestInMemory;
    const auto good = static_cast<double>(m_largestGood);
    const double ratio = static_cast<double>(m_largestInMemory + 1) / good;
    const double drawn = good * std::pow(ratio, 0.5 + 0.5 * random.uniform());
    return std::clamp(static_cast<std::int64_t>(drawn), m_largestGood, m_largestInMemory);
}

void MemoryModel::boundByThrashing(RandomSource& random)
{
    // Thrashing begins somewhere above what ran well; no law tells where.
    const auto room = static_cast<double>(m_smallestThrash - m_largestGood);
    for (std::int64_t& fit : m_ascendingFits) {
        const auto bound = m_largestGood + static_cast<std::int64_t>(room * random.uniform());
        fit = std::max<std::int64_t>(std::min(fit, bound), 1);
    }
}

void MemoryModel::predictAlongLine(const CandidateSet& candidates)
{
    const double room = m_background.limitMebibytes * bytesPerMebibyte - m_line->constantBytes;
    const auto possible = static_cast<double>(m_largestPossible);
    const double bounded = std::clamp(std::floor(room / m_line->bytesPerSample),
                                      std::min(static_cast<double>(m_largestGood), possible), possible);
    m_largestPredictedFit = candidates.atMost(static_cast<std::int64_t>(bounded)).value_or(0);
}

double MemoryModel::probabilityOfFit(std::int64_t size) const
{
    if (size > m_largestPossible || std::ranges::find(m_isolatedFailures, size) != m_isolatedFailures.end())
        return 0.0;
    if (size <= m_largestGood)
        return 1.0;
    const auto fitting =
        std::ranges::distance(std::ranges::lower_bound(m_ascendingFits, size), m_ascendingFits.end());
    return static_cast<double>(fitting) / static_cast<double>(m_ascendingFits.size());
}

std::int64_t MemoryModel::largestWithFit(double probability) const
{
    const auto draws = static_cast<double>(m_ascendingFits.size());
    const auto below = static_cast<std::size_t>(std::max((1.0 - probability) * draws, 0.0));
    const std::int64_t drawn = m_ascendingFits[std::min(below, m_ascendingFits.size() - 1)];
    return std::max(drawn, std::min(m_largestGood, m_largestPossible));
}

} // namespace batchpeak::search
