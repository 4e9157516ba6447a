// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "baseline_strategy.h"

#include <vector>

/// Powers of two until one fails, then 64 sizes evenly spaced up to where the line through the two largest
/// peaks meets the limit, and the fastest of all: what a patient person does.
class SweepBaseline final : public BaselineStrategy
{
public:
    using BaselineStrategy::BaselineStrategy;

private:
    std::optional<std::int64_t> nextSize() override;
    double predictedLimit() const;

    bool m_hasPlan = false;
    /// Ascending.
    std::vector<double> m_plan;
    std::size_t m_next = 0;
};
