// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "binary_strategy.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

BinaryStrategy::BinaryStrategy(const SearchSpace& space) : SearchingStrategy(space, Ending::WhenNothingIsLeft)
{
    plan();
}

std::optional<SearchingStrategy::Choice> BinaryStrategy::choose() const
{
    if (!inFlight().empty())
        return std::nullopt;
    std::optional<std::int64_t> size;
    if (history().goodSizes().empty()) {
        if (safety().isUsable(candidates().smallest()))
            size = candidates().smallest();
    } else if (const std::int64_t end = smallestUnusable(); end > 0) {
        size = candidates().between(history().largestGood(), end);
    } else {
        size = doubled();
    }
    return size ? std::optional(trialOf(*size)) : std::nullopt;
}

std::optional<std::int64_t> BinaryStrategy::doubled() const
{
    const std::int64_t largest = history().largestGood();
    const std::optional<std::int64_t> twice = candidates().atMost(2 * largest);
    return twice && *twice > largest ? twice : candidates().above(largest);
}

std::int64_t BinaryStrategy::smallestUnusable() const
{
    const TrialSafety rules = safety();
    std::int64_t smallest = 0;
    for (const Measurement& trial : history().all()) {
        const bool isAbove = trial.size > history().largestGood();
        if (isAbove && !rules.isUsable(trial.size) && (smallest == 0 || trial.size < smallest))
            smallest = trial.size;
    }
    return smallest;
}

int BinaryStrategy::remainingTrials(const std::optional<Choice>& next) const
{
    const auto good = static_cast<double>(std::max<std::int64_t>(history().largestGood(), 1));
    if (const std::int64_t end = smallestUnusable(); end > 0)
        return static_cast<int>(std::ceil(std::log2(std::max(static_cast<double>(end) - good, 1.0))));
    if (!next && inFlight().empty())
        return 0;
    // As many to reach the limit, and about as many again to find it between two powers of two.
    const auto limit = static_cast<double>(std::max<std::int64_t>(memory().largestPredictedFit(), 1));
    return 1 + static_cast<int>(std::log2(std::max(limit / good, 1.0)) + std::log2(limit));
}

} // namespace batchpeak::search
