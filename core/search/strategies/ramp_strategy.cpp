// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ramp_strategy.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

/// Trials that bisection and comparison take after the ramp, in simulated searches on curves that are
/// neither smooth nor flat.
constexpr int trialsAfterRamp = 8;
/// A gap beside the best is halved in each trial, and so is about what speaks against it.
constexpr double trialsPerHalving = 2.0;

} // namespace

RampStrategy::RampStrategy(const SearchSpace& space) : SearchingStrategy(space, Ending::WhenConfident)
{
    plan();
}

std::optional<SearchingStrategy::Choice> RampStrategy::choose() const
{
    const RampPlanner planner({.candidates = candidates(),
                               .history = history(),
                               .memory = memory(),
                               .judgement = judgement(),
                               .inFlight = inFlight(),
                               .tolerance = space().tolerance});
    const std::optional<RampPlanner::Step> step = planner.next();
    if (!step)
        return std::nullopt;
    const bool isRepeat = step->purpose == RampPlanner::Purpose::Repeat;
    return Choice{.size = step->size,
                  .length = TrialCost::length(judgement().stepSecondsAt(step->size), isRepeat),
                  .isClimbing = step->purpose == RampPlanner::Purpose::Climb};
}

int RampStrategy::remainingTrials(const std::optional<Choice>& next) const
{
    if (!next || !next->isClimbing)
        return trialsUntilConfident(trialsPerHalving);
    const std::int64_t limit = std::max(memory().largestWithFit(0.5), next->size);
    const double doublings = std::log2(static_cast<double>(limit) / static_cast<double>(next->size));
    return trialsAfterRamp + static_cast<int>(doublings);
}

} // namespace batchpeak::search
