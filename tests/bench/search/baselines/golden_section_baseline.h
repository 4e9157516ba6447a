// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "baseline_strategy.h"

/// Finds the largest size that fits by doubling and bisection, then the fastest up to it by golden section in
/// ln(size), as if the curve had a single peak and no noise. Kiefer, Proceedings of the AMS 4 (1953).
class GoldenSectionBaseline final : public BaselineStrategy
{
public:
    using BaselineStrategy::BaselineStrategy;

private:
    std::optional<std::int64_t> nextSize() override;

    /// ln of the ends between which the peak is sought; the upper one is 0 until the limit is known.
    double m_low = 0.0;
    double m_high = 0.0;
};
