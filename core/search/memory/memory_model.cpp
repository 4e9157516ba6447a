// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_model.h"

#include "candidate_set.h"
#include "random_source.h"
#include "trial_history.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

constexpr double bytesPerMebibyte = 1024.0 * 1024.0;

// A caching allocator rounds to segments of 2 and 20 MiB, and libraries choose workspaces by size: what a
// peak may lie off the line [MiB; share of the peak].
constexpr double roundingMebibytes = 24.0;
constexpr double roundingShare = 0.006;
// Further off the largest trial the line counts for less, per halving of the size.
constexpr double distancePenalty = 0.5;
// Error of an extrapolation as shares of the limit, at a doubling and at no distance, and of the growth;
// these and the above were found on 472 simulated memory curves.
constexpr double doublingErrorShare = 0.0084;
constexpr double anchorErrorShare = 0.002;
constexpr double growthErrorShare = 0.02;

constexpr double smallestSlope = 1e-9;
constexpr int drawAttempts = 24;
constexpr int bisections = 40;

} // namespace

MemoryModel::MemoryModel(const SearchSpace& space, const CandidateSet& candidates,
                         const TrialHistory& history, RandomSource& random)
    : m_limitMebibytes(static_cast<double>(space.memoryLimitBytes) / bytesPerMebibyte),
      m_largestGood(history.largestGood()),
      m_largestPossible(candidates.largest())
{
    if (const std::int64_t failure = history.smallestFailure(); failure > 0 && failure <= m_largestPossible) {
        m_hasFailure = true;
        m_largestPossible = std::max<std::int64_t>(failure - 1, 1);
    }
    std::vector<Peak> peaks;
    for (const Measurement& trial : history.all()) {
        if (trial.outcome == Measurement::Outcome::Ok && trial.peakReservedBytes > 0) {
            peaks.push_back({static_cast<double>(trial.size),
                             static_cast<double>(trial.peakReservedBytes) / bytesPerMebibyte});
        }
        if (trial.size < m_largestGood && history.hasFailed(trial.size))
            m_isolatedFailures.push_back(trial.size);
    }

    if (peaks.empty() || m_limitMebibytes <= 0.0) {
        for (int draw = 0; draw < drawCount; ++draw)
            m_largestFits.push_back(drawWithoutLine(random));
    } else {
        const Peak last = *std::ranges::max_element(peaks, {}, &Peak::size);
        const Slope slope = fitSlope(peaks, static_cast<double>(space.baselineBytes) / bytesPerMebibyte);
        for (int draw = 0; draw < drawCount; ++draw)
            m_largestFits.push_back(drawLargestFit(slope, last, random));
        if (slope.upperBound == 0.0)
            predictAlongLine(slope, last, candidates);
    }
    m_ascendingFits = m_largestFits;
    std::ranges::sort(m_ascendingFits);
}

void MemoryModel::predictAlongLine(const Slope& slope, const Peak& last, const CandidateSet& candidates)
{
    m_line = MemoryLine{.constantBytes = (last.mebibytes - slope.perSample * last.size) * bytesPerMebibyte,
                        .bytesPerSample = slope.perSample * bytesPerMebibyte};
    const double predicted = last.size + std::floor((m_limitMebibytes - last.mebibytes) / slope.perSample);
    const auto possible = static_cast<double>(m_largestPossible);
    const double bounded =
        std::clamp(predicted, std::min(static_cast<double>(m_largestGood), possible), possible);
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

MemoryModel::Slope MemoryModel::fitSlope(const std::vector<Peak>& peaks, double baselineMebibytes)
{
    const auto [least, last] = std::ranges::minmax(peaks, {}, &Peak::size);
    if (least.size == last.size) {
        // Everything above the baseline, workspaces and gradients too, belongs to the samples at worst.
        const double above =
            last.mebibytes > baselineMebibytes ? last.mebibytes - baselineMebibytes : last.mebibytes;
        return {.perSample = 0.5 * above / last.size, .upperBound = above / last.size};
    }

    // Weighted normal equations of mebibytes = a + b size; the ridge keeps them solvable.
    double weights = 0.0;
    double sizes = 0.0;
    double squares = 1e-9;
    double values = 0.0;
    double products = 0.0;
    for (const Peak& peak : peaks) {
        const double deviation = std::hypot(roundingMebibytes, roundingShare * peak.mebibytes) *
                                 (1.0 + distancePenalty * std::log2(last.size / peak.size));
        const double weight = 1.0 / (deviation * deviation);
        weights += weight;
        sizes += weight * peak.size;
        squares += weight * peak.size * peak.size;
        values += weight * peak.mebibytes;
        products += weight * peak.size * peak.mebibytes;
    }
    const double determinant = weights * squares - sizes * sizes;
    const double slope = (weights * products - sizes * values) / determinant;
    return {.perSample = std::max(slope, smallestSlope), .deviation = std::sqrt(weights / determinant)};
}

std::int64_t MemoryModel::drawWithoutLine(RandomSource& random) const
{
    if (!m_hasFailure || m_largestGood == 0 || m_largestGood >= m_largestPossible)
        return m_largestPossible;
    const auto good = static_cast<double>(m_largestGood);
    const double drawn = good * std::pow(static_cast<double>(m_largestPossible + 1) / good, random.uniform());
    return std::clamp(static_cast<std::int64_t>(drawn), m_largestGood, m_largestPossible);
}

std::int64_t MemoryModel::drawLargestFit(const Slope& slope, const Peak& last, RandomSource& random) const
{
    if (m_largestGood >= m_largestPossible)
        return m_largestPossible;
    const double lowest = static_cast<double>(std::max<std::int64_t>(m_largestGood, 1));
    const double highest = 4.0 * static_cast<double>(m_largestPossible) + 4.0;
    for (int attempt = 0; attempt < drawAttempts; ++attempt) {
        const double drawn = slope.upperBound > 0.0 ? slope.upperBound * random.uniform()
                                                    : slope.perSample + slope.deviation * random.normal();
        const double perSample = std::max(drawn, smallestSlope);
        const double limitError = random.normal();
        const double growthError = random.normal();
        const auto peakAt = [&](double size) {
            const double doublings = std::clamp(std::log2(size / last.size), 0.0, 1.0);
            return last.mebibytes + perSample * (size - last.size) * (1.0 + growthErrorShare * growthError) +
                   m_limitMebibytes * limitError * (doublingErrorShare * doublings + anchorErrorShare);
        };
        if (peakAt(highest) <= m_limitMebibytes) {
            if (!m_hasFailure)
                return m_largestPossible;
            continue;
        }
        double low = lowest;
        double high = highest;
        for (int step = 0; step < bisections; ++step) {
            const double middle = 0.5 * (low + high);
            (peakAt(middle) <= m_limitMebibytes ? low : high) = middle;
        }
        // Above m_largestPossible either a trial has failed, and the draw contradicts it, or nothing is
        // allowed, and the draw is as good as that.
        const auto size = static_cast<std::int64_t>(low);
        if (size <= m_largestPossible || !m_hasFailure)
            return std::min(size, m_largestPossible);
    }
    // The line cannot be reconciled with the failure, and only what ran and what failed still counts.
    return drawWithoutLine(random);
}

} // namespace batchpeak::search
