// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ramp_strategy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace batchpeak::search {

namespace {

/// A size slower than a smaller one by this factor ends the ramp at once; so do sizesWithoutGain sizes that
/// gain nothing.
constexpr double clearlySlower = 0.85;
constexpr int sizesWithoutGain = 2;

/// If the largest fitting size is closer than this ratio to a size that ran, it has nothing new to tell.
constexpr double minClimbRatio = 1.05;
/// Gaps beside the best size are halved down to this ratio; narrower ones are left to the curve.
constexpr double narrowGapRatio = 1.15;
/// Rivals closer than this ratio to a size in flight wait for it.
constexpr double neighborRatio = 1.04;

constexpr double rivalProbability = 0.01;
constexpr int rampRepeats = 5;

/// Trials that bisection and comparison take after the ramp, in simulated searches on curves that are
/// neither smooth nor flat.
constexpr int trialsAfterRamp = 8;
/// Each trial halves one of the two gaps beside the best size, so that two trials about halve the doubt.
constexpr double trialsPerHalving = 2.0;

double ratio(std::int64_t larger, std::int64_t smaller)
{
    return static_cast<double>(larger) / static_cast<double>(smaller);
}

} // namespace

RampStrategy::RampStrategy(const SearchSpace& space) : SearchingStrategy(space, StoppingRule::Confident)
{
    plan();
}

std::optional<SearchingStrategy::Choice> RampStrategy::choose() const
{
    if (history().goodSizes().empty()) {
        if (!isFree(firstSize()))
            return std::nullopt;
        return trialFor(Purpose::Climb, firstSize());
    }
    if (auto choice = climb())
        return choice;
    if (auto choice = bisect())
        return choice;
    if (auto choice = challenge())
        return choice;
    return lastResort();
}

std::optional<SearchingStrategy::Choice> RampStrategy::climb() const
{
    if (throughputHasEnded())
        return std::nullopt;
    std::int64_t top = std::max(history().largestGood(), history().largestRun());
    for (const std::int64_t size : inFlight())
        top = std::max(top, size);
    const auto powerOfTwo = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(top)) * 2);
    std::optional<std::int64_t> size = candidates().atMost(powerOfTwo);
    if (!size || *size <= top)
        size = candidates().above(top);
    if (!size)
        return std::nullopt;
    const TrialSafety rules = safety();
    if (rules.mayBeTried(*size))
        return trialFor(Purpose::Climb, *size);

    size = candidates().atMost(rules.largestSafe());
    if (size && ratio(*size, top) >= minClimbRatio && rules.mayBeTried(*size))
        return trialFor(Purpose::Climb, *size);
    return std::nullopt;
}

std::optional<SearchingStrategy::Choice> RampStrategy::bisect() const
{
    std::vector<std::int64_t> known = inFlight();
    for (const Measurement& trial : history().all())
        known.push_back(trial.size);
    std::ranges::sort(known);

    std::optional<std::int64_t> widest;
    double width = narrowGapRatio;
    const auto consider = [&](std::int64_t low, std::int64_t high) {
        const std::optional<std::int64_t> middle = candidates().between(low, high);
        if (ratio(high, low) > width && middle && safety().mayBeTried(*middle)) {
            widest = middle;
            width = ratio(high, low);
        }
    };
    const auto first = std::ranges::lower_bound(known, summary().best);
    const auto last = std::ranges::upper_bound(known, summary().best);
    if (first != known.begin() && first != known.end())
        consider(*std::prev(first), summary().best);
    if (last != known.end())
        consider(summary().best, *last);
    return widest ? std::optional(trialFor(Purpose::Refine, *widest)) : std::nullopt;
}

std::optional<SearchingStrategy::Choice> RampStrategy::challenge() const
{
    for (const PosteriorSummary::Rival& rival : summary().rivals) {
        if (rival.probability < rivalProbability)
            break;
        const bool awaitsNeighbor = std::ranges::any_of(inFlight(), [&](std::int64_t size) {
            return ratio(std::max(size, rival.size), std::min(size, rival.size)) < neighborRatio;
        });
        if (awaitsNeighbor || !safety().isSafe(rival.size))
            continue;
        if (history().timedTrials(rival.size) == 0) {
            if (isFree(rival.size))
                return trialFor(Purpose::Refine, rival.size);
            continue;
        }
        const std::int64_t best = summary().best;
        const bool rivalIsLessKnown = history().timedTrials(rival.size) <= history().timedTrials(best);
        const std::int64_t repeated = rivalIsLessKnown ? rival.size : best;
        if (history().timedTrials(repeated) <= rampRepeats && isFree(repeated))
            return trialFor(Purpose::Repeat, repeated);
    }
    return std::nullopt;
}

std::optional<SearchingStrategy::Choice> RampStrategy::lastResort() const
{
    if (throughputHasEnded())
        return std::nullopt;
    const std::optional<std::int64_t> size = boundaryProbe().next();
    if (!size)
        return std::nullopt;
    Choice onTheWay = trialFor(Purpose::Climb, *size);
    onTheWay.probesMemory = true;
    return onTheWay;
}

SearchingStrategy::Choice RampStrategy::trialFor(Purpose purpose, std::int64_t size) const
{
    return {.size = size,
            .length = TrialCost::length(summary().stepSecondsAt(size), purpose == Purpose::Repeat),
            .isClimbing = purpose == Purpose::Climb};
}

bool RampStrategy::throughputHasEnded() const
{
    const std::vector<SizeEstimate>& measured = summary().measured;
    if (measured.empty())
        return false;
    const double best = std::ranges::max(measured, {}, &SizeEstimate::samplesPerSecond).samplesPerSecond;
    // The smallest size that is as good as the best one, so that a plateau ends the ramp just as a fall does.
    const auto peak = std::ranges::find_if(measured, [&](const auto& size) {
        return size.samplesPerSecond >= best * (1.0 - 0.5 * space().tolerance);
    });
    const auto beyond = std::count_if(std::next(peak), measured.end(), [&](const auto& size) {
        return ratio(size.size, peak->size) >= minClimbRatio;
    });
    const bool fell = std::any_of(std::next(peak), measured.end(), [&](const auto& size) {
        return size.samplesPerSecond < clearlySlower * best;
    });
    return fell || beyond >= sizesWithoutGain;
}

bool RampStrategy::isFree(std::int64_t size) const
{
    const TrialSafety rules = safety();
    return candidates().contains(size) && rules.isUsable(size) && !rules.isInFlight(size);
}

Forecast RampStrategy::forecast(const std::optional<Choice>& next) const
{
    if (!next || !next->isClimbing)
        return forecastOfTrials(trialsUntilConfident(trialsPerHalving));
    const std::int64_t limit = std::max(memory().largestWithFit(0.5), next->size);
    const double doublings = std::log2(static_cast<double>(limit) / static_cast<double>(next->size));
    return forecastOfTrials(trialsAfterRamp + static_cast<int>(doublings));
}

} // namespace batchpeak::search
