// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "predict_strategy.h"

#include <algorithm>

namespace batchpeak::search {

namespace {

/// Two to predict from, and the prediction itself.
constexpr int usualTrials = 3;

} // namespace

PredictStrategy::PredictStrategy(const SearchSpace& space)
    : SearchingStrategy(space, Ending::WhenNothingIsLeft)
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
    const std::int64_t first = candidates().smallest();
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

int PredictStrategy::remainingTrials(const std::optional<Choice>& next) const
{
    const bool goesOn = next.has_value() || !inFlight().empty();
    return goesOn ? std::max(usualTrials - static_cast<int>(history().goodSizes().size()), 1) : 0;
}

} // namespace batchpeak::search
