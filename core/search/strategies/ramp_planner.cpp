// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ramp_planner.h"

#include "candidate_set.h"
#include "judgement.h"
#include "memory_model.h"
#include "trial_history.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace batchpeak::search {

namespace {

// How probable a fit must be: at first, once a size has failed, and while a size larger than any that ran
// is still under way; found on simulated memory curves to keep failures at a few in a hundred searches.
constexpr double demandedAtFirst = 0.8;
constexpr double demandedAfterFailure = 0.97;
constexpr double demandedBesideUnknown = 0.985;
// Where the alternative is to end without knowing, an even chance will do, but not again and again.
constexpr double demandedAtLast = 0.5;
constexpr int failuresAllowedAtLast = 2;
/// A line through small sizes is not trusted further up than this.
constexpr std::int64_t farthestRatio = 16;

/// A void trial says nothing, and a second one in a row would not either.
constexpr int voidTrialsAllowed = 1;

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

RampPlanner::RampPlanner(const Situation& situation) : m_situation(situation)
{
    for (const std::int64_t size : m_situation.inFlight)
        m_largestInFlight = std::max(m_largestInFlight, size);
}

std::optional<RampPlanner::Step> RampPlanner::next() const
{
    const CandidateSet& candidates = m_situation.candidates;
    if (m_situation.history.goodSizes().empty()) {
        if (m_situation.history.failures() > 0 || !isFree(candidates.smallest()))
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
    if (isFree(*size) && isSafe(*size))
        return Step{.size = *size, .purpose = Purpose::Climb};

    size = candidates.atMost(m_situation.memory.largestWithFit(demandedFit(*size)));
    if (size && ratio(*size, top) >= leastClimbRatio && isFree(*size) && isSafe(*size))
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
        if (ratio(high, low) > narrowGapRatio && middle && isFree(*middle) && isSafe(*middle)) {
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
        if (awaitsNeighbour || !isSafe(rival.size))
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
    const TrialHistory& history = m_situation.history;
    if (throughputHasEnded() || !m_situation.inFlight.empty() || history.failures() >= failuresAllowedAtLast)
        return std::nullopt;
    const std::optional<std::int64_t> size = m_situation.candidates.above(history.largestGood());
    if (size && isFree(*size) && m_situation.memory.probabilityOfFit(*size) >= demandedAtLast)
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
    return m_situation.candidates.contains(size) && !m_situation.history.hasFailed(size) &&
           !isInFlight(size) && m_situation.history.voidTrials(size) <= voidTrialsAllowed;
}

bool RampPlanner::isSafe(std::int64_t size) const
{
    const TrialHistory& history = m_situation.history;
    if (history.isGood(size))
        return true;
    const std::optional<std::int64_t> nextAllowed = m_situation.candidates.above(history.largestGood());
    const bool isNear = size <= farthestRatio * history.largestGood() || size == nextAllowed;
    return isNear && m_situation.memory.probabilityOfFit(size) >= demandedFit(size);
}

bool RampPlanner::isInFlight(std::int64_t size) const
{
    return std::ranges::find(m_situation.inFlight, size) != m_situation.inFlight.end();
}

double RampPlanner::demandedFit(std::int64_t size) const
{
    const std::int64_t verified = m_situation.history.largestGood();
    if (m_largestInFlight > verified && size > verified)
        return demandedBesideUnknown;
    return m_situation.history.failures() > 0 ? demandedAfterFailure : demandedAtFirst;
}

} // namespace batchpeak::search
