// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "baseline_strategy.h"

/// The largest size that fits, taken for the fastest: doubling, then bisection. Lightning's and Composer's
/// finders, and many others, are of this kind.
class LargestFitBaseline final : public BaselineStrategy
{
public:
    using BaselineStrategy::BaselineStrategy;

private:
    std::optional<std::int64_t> nextSize() override { return nextTowardsLimit(); }
    std::int64_t answer() const override { return largestRun(); }
};
