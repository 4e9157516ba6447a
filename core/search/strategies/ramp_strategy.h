// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ramp_planner.h"
#include "searching_strategy.h"

namespace batchpeak::search {

/// Powers of two until memory or throughput ends, then bisection around the best, then what may still
/// beat it, until the confidence is high enough.
///
/// The order of the sizes comes from RampPlanner.
class RampStrategy final : public SearchingStrategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit RampStrategy(const SearchSpace& space);

private:
    std::optional<Choice> choose() const override;
    int remainingTrials(const std::optional<Choice>& next) const override;
};

} // namespace batchpeak::search
