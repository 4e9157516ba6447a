// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ramp_planner.h"

#include "candidate_set.h"
#include "judgement.h"
#include "limit_probe.h"
#include "memory/memory_model.h"
#include "trial_history.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace batchpeak::search {

namespace {

/// A size this much slower than a smaller one ends the ramp at once; two that gain nothing do so too.
constexpr double clearlySlower = 0.85;
constexpr int sizesWithoutGain = 2;

/// A largest fitting size closer than this to one that ran has nothing new to tell.
constexpr double leastClimbRatio = 1.05;
/// Gaps beside the best are halved down to this ratio; what lies within is left to the curve.
constexpr double narrowGapRatio = 1.15;
/// Rivals closer to a size in flight than this wait for it.
constexpr double neighbourRatio = 1.04;

constexpr double leastRivalProbability = 0.01;
constexpr int repeatsAllowed = 5;

double ratio(std::int64_t larger, std::int64_t smaller)
{
    return static_cast<double>(larger) / static_cast<double>(smaller);
}

} // namespace

RampPlanner::RampPlanner(const Situation& situation)
    : m_situation(situation),
      m_safety({situation.candidates, situation.history, situation.memory, situation.inFlight})
{
    for (const std::int64_t size : m_situation.inFlight)
        m_largestInFlight = std::max(m_largestInFlight, size);
}

std::optional<RampPlanner::Step> RampPlanner::next() const
{
    const CandidateSet& candidates = m_situation.candidates;
    if (m_situation.history.goodSizes().empty()) {
        if (!isFree(candidates.smallest()))
            return std::nullopt;
        return Step{.size = candidates.smallest(), .purpose = Purpose::Climb};
    }
    for (const auto& step : {climb(), bisect(), challenge()}) {
        if (step)
            return step;
    }
    return lastResort();
}

std::optional<RampPlanner::Step> RampPlanner::climb() const
{
    if (throughputHasEnded())
        return std::nullopt;
    const CandidateSet& candidates = m_situation.candidates;
    const std::int64_t top =
        std::max({m_situation.history.largestGood(), m_situation.history.largestRun(), m_largestInFlight});
    const auto powerOfTwo = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(top)) * 2);
    std::optional<std::int64_t> size = candidates.atMost(powerOfTwo);
    if (!size || *size <= top)
        size = candidates.above(top);
    if (!size)
        return std::nullopt;
    if (m_safety.mayBeTried(*size))
        return Step{.size = *size, .purpose = Purpose::Climb};

    size = candidates.atMost(m_situation.memory.largestWithFit(m_safety.demandedFit()));
    if (size && ratio(*size, top) >= leastClimbRatio && m_safety.mayBeTried(*size))
        return Step{.size = *size, .purpose = Purpose::Climb};
    return std::nullopt;
}

std::optional<RampPlanner::Step> RampPlanner::bisect() const
{
    std::vector<std::int64_t> known;
    for (const Measurement& trial : m_situation.history.all())
        known.push_back(trial.size);
    known.insert(known.end(), m_situation.inFlight.begin(), m_situation.inFlight.end());
    std::ranges::sort(known);

    const std::int64_t best = m_situation.judgement.best;
    const auto first = std::ranges::lower_bound(known, best);
    const auto last = std::ranges::upper_bound(known, best);
    std::vector<Step> steps;
    std::vector<double> widths;
    const auto consider = [&](std::int64_t low, std::int64_t high) {
        const std::optional<std::int64_t> middle = m_situation.candidates.between(low, high);
        if (ratio(high, low) > narrowGapRatio && middle && m_safety.mayBeTried(*middle)) {
            steps.push_back({.size = *middle, .purpose = Purpose::Refine});
            widths.push_back(ratio(high, low));
        }
    };
    if (first != known.begin() && first != known.end())
        consider(*std::prev(first), best);
    if (last != known.end())
        consider(best, *last);
    if (steps.empty())
        return std::nullopt;
    return steps[static_cast<std::size_t>(std::ranges::max_element(widths) - widths.begin())];
}

std::optional<RampPlanner::Step> RampPlanner::challenge() const
{
    const TrialHistory& history = m_situation.history;
    for (const Judgement::Rival& rival : m_situation.judgement.rivals) {
        if (rival.probability < leastRivalProbability)
            break;
        const bool awaitsNeighbour = std::ranges::any_of(m_situation.inFlight, [&](std::int64_t size) {
            return ratio(std::max(size, rival.size), std::min(size, rival.size)) < neighbourRatio;
        });
        if (awaitsNeighbour || !m_safety.isSafe(rival.size))
            continue;
        if (history.timedTrials(rival.size) == 0) {
            if (isFree(rival.size))
                return Step{.size = rival.size, .purpose = Purpose::Refine};
            continue;
        }
        const std::int64_t best = m_situation.judgement.best;
        const bool rivalIsLessKnown = history.timedTrials(rival.size) <= history.timedTrials(best);
        const std::int64_t repeated = rivalIsLessKnown ? rival.size : best;
        if (history.timedTrials(repeated) <= repeatsAllowed && isFree(repeated))
            return Step{.size = repeated, .purpose = Purpose::Repeat};
    }
    return std::nullopt;
}

std::optional<RampPlanner::Step> RampPlanner::lastResort() const
{
    if (throughputHasEnded())
        return std::nullopt;
    const LimitProbe probe(
        {m_situation.candidates, m_situation.history, m_situation.memory, m_situation.inFlight},
        m_situation.judgement);
    if (const auto size = probe.next())
        return Step{.size = *size, .purpose = Purpose::Climb};
    return std::nullopt;
}

bool RampPlanner::throughputHasEnded() const
{
    const std::vector<Judgement::MeasuredSize>& measured = m_situation.judgement.measured;
    if (measured.empty())
        return false;
    const double best =
        std::ranges::max(measured, {}, &Judgement::MeasuredSize::samplesPerSecond).samplesPerSecond;
    // The smallest size that is as good as the best one, so that a plateau ends the ramp as a fall does.
    const auto peak = std::ranges::find_if(measured, [&](const Judgement::MeasuredSize& size) {
        return size.samplesPerSecond >= best * (1.0 - 0.5 * m_situation.tolerance);
    });
    const auto beyond = std::ranges::count_if(std::next(peak), measured.end(), [&](const auto& size) {
        return ratio(size.size, peak->size) >= leastClimbRatio;
    });
    const bool fell = std::any_of(std::next(peak), measured.end(), [&](const Judgement::MeasuredSize& size) {
        return size.samplesPerSecond < clearlySlower * best;
    });
    return fell || beyond >= sizesWithoutGain;
}

bool RampPlanner::isFree(std::int64_t size) const
{
    return m_situation.candidates.contains(size) && m_safety.isUsable(size) && !m_safety.isInFlight(size);
}

} // namespace batchpeak::search
