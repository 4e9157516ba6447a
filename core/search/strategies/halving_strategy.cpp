// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "halving_strategy.h"

namespace batchpeak::search {

HalvingStrategy::HalvingStrategy(const SearchSpace& space)
    : SearchingStrategy(space, Ending::WhenNothingIsLeft)
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

int HalvingStrategy::remainingTrials(const std::optional<Choice>& /*next*/) const
{
    return history().goodSizes().empty() ? 1 : 0;
}

} // namespace batchpeak::search
