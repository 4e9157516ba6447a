// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy.h"

#include "candidate_set.h"
#include "strategies/largest_fit_strategies.h"
#include "strategies/posterior_strategy.h"
#include "strategies/ramp_strategy.h"
#include "strategies/verify_strategy.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace batchpeak::search {

namespace {

using Maker = std::unique_ptr<Strategy> (*)(const SearchSpace&);

struct NamedStrategy
{
    std::string_view name;
    Maker make;
};

template<typename Made>
std::unique_ptr<Strategy> make(const SearchSpace& space)
{
    return std::make_unique<Made>(space);
}

constexpr std::array<NamedStrategy, 5> strategies{{{"posterior", &make<PosteriorStrategy>},
                                                   {"ramp", &make<RampStrategy>},
                                                   {"binary", &make<BinaryStrategy>},
                                                   {"halving", &make<HalvingStrategy>},
                                                   {"predict", &make<PredictStrategy>}}};

} // namespace

const SizeEstimate* SearchState::estimateOf(std::int64_t size) const
{
    const auto found = std::ranges::find(estimates, size, &SizeEstimate::size);
    return found == estimates.end() ? nullptr : &*found;
}

std::vector<std::string_view> strategyNames()
{
    std::vector<std::string_view> names;
    names.reserve(strategies.size());
    for (const NamedStrategy& strategy : strategies)
        names.push_back(strategy.name);
    return names;
}

std::unique_ptr<Strategy> makeStrategy(std::string_view name, const SearchSpace& space)
{
    for (const NamedStrategy& strategy : strategies) {
        if (strategy.name != name)
            continue;
        const CandidateSet candidates(space);
        if (candidates.smallest() == candidates.largest())
            return std::make_unique<VerifyStrategy>(space);
        return strategy.make(space);
    }
    std::string known;
    for (const NamedStrategy& strategy : strategies)
        known += (known.empty() ? "" : ", ") + std::string(strategy.name);
    throw std::invalid_argument("There is no strategy \"" + std::string(name) +
                                "\"; choose one of: " + known + ".");
}

} // namespace batchpeak::search
