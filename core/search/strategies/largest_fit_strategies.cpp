// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "largest_fit_strategies.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

/// Two trials to predict from, and the prediction itself.
constexpr int defaultTrials = 3;

} // namespace

BinaryStrategy::BinaryStrategy(const SearchSpace& space) : SearchingStrategy(space, StoppingRule::Exhausted)
{
    plan();
}

std::optional<SearchingStrategy::Choice> BinaryStrategy::choose() const
{
    if (!inFlight().empty())
        return std::nullopt;
    std::optional<std::int64_t> size;
    if (history().goodSizes().empty()) {
        if (safety().isUsable(firstSize()))
            size = firstSize();
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

Forecast BinaryStrategy::forecast(const std::optional<Choice>& next) const
{
    const auto good = static_cast<double>(std::max<std::int64_t>(history().largestGood(), 1));
    if (const std::int64_t end = smallestUnusable(); end > 0)
        return forecastOfTrials(
            static_cast<int>(std::ceil(std::log2(std::max(static_cast<double>(end) - good, 1.0)))));
    if (!next && inFlight().empty())
        return forecastOfTrials(0);
    // The number of trials to reach the limit, and about as many again to find it between two powers of two.
    const auto limit = static_cast<double>(std::max<std::int64_t>(memory().largestPredictedFit(), 1));
    return forecastOfTrials(1 + static_cast<int>(std::log2(std::max(limit / good, 1.0)) + std::log2(limit)));
}

HalvingStrategy::HalvingStrategy(const SearchSpace& space) : SearchingStrategy(space, StoppingRule::Exhausted)
{
    plan();
}

std::optional<SearchingStrategy::Choice> HalvingStrategy::choose() const
{
    if (!inFlight().empty() || !history().goodSizes().empty())
        return std::nullopt;
    std::optional<std::int64_t> size = start();
    while (size && !safety().isUsable(*size))
        size = candidates().halved(*size);
    return size ? std::optional(trialOf(*size)) : std::nullopt;
}

std::int64_t HalvingStrategy::start() const
{
    if (space().perDeviceBatch > 1)
        return candidates().atMost(space().perDeviceBatch).value_or(candidates().smallest());
    return candidates().powerOfTwoAtMost(candidates().largest());
}

Forecast HalvingStrategy::forecast(const std::optional<Choice>& /*next*/) const
{
    return forecastOfTrials(history().goodSizes().empty() ? 1 : 0);
}

PredictStrategy::PredictStrategy(const SearchSpace& space) : SearchingStrategy(space, StoppingRule::Exhausted)
{
    plan();
}

std::optional<SearchingStrategy::Choice> PredictStrategy::choose() const
{
    if (!inFlight().empty())
        return std::nullopt;
    const std::optional<std::int64_t> size = nextSize();
    return size ? std::optional(trialOf(*size)) : std::nullopt;
}

std::optional<std::int64_t> PredictStrategy::nextSize() const
{
    const TrialSafety rules = safety();
    const auto ifUsable = [&](std::int64_t size) {
        return rules.isUsable(size) ? std::optional(size) : std::nullopt;
    };
    const std::int64_t first = firstSize();
    if (!history().isGood(first))
        return ifUsable(first);
    const std::optional<std::int64_t> second = candidates().above(first);
    if (!second || !history().isGood(*second))
        return second ? ifUsable(*second) : std::nullopt;

    std::optional<std::int64_t> size = predictedSize(first, *second);
    while (size && *size > *second && !history().isGood(*size)) {
        if (rules.isUsable(*size))
            return size;
        size = candidates().halved(*size);
    }
    return std::nullopt;
}

std::int64_t PredictStrategy::rounded(std::int64_t size) const
{
    if (space().predictsPowersOfTwo)
        return candidates().powerOfTwoAtMost(size);
    return candidates().atMost(size).value_or(candidates().smallest());
}

std::int64_t PredictStrategy::predictedSize(std::int64_t first, std::int64_t second) const
{
    const std::int64_t growth = peakAt(second) - peakAt(first);
    if (growth <= 0 || space().memoryLimitBytes <= 0)
        return rounded(candidates().largest());
    const double perSample = static_cast<double>(growth) / static_cast<double>(second - first);
    const auto room = static_cast<double>(space().memoryLimitBytes - peakAt(first));
    const double further = std::min(room / perSample, static_cast<double>(candidates().largest()));
    return rounded(first + static_cast<std::int64_t>(further));
}

std::int64_t PredictStrategy::peakAt(std::int64_t size) const
{
    return std::ranges::find(history().timed(), size, &Measurement::size)->peakReservedBytes;
}

Forecast PredictStrategy::forecast(const std::optional<Choice>& next) const
{
    const bool continues = next.has_value() || !inFlight().empty();
    return forecastOfTrials(
        continues ? std::max(defaultTrials - static_cast<int>(history().goodSizes().size()), 1) : 0);
}

} // namespace batchpeak::search
