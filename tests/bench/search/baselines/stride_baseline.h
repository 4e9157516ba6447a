// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "baseline_strategy.h"

/// In the manner of DeepSpeed's autotuner: predicts the largest size from the memory of one sample, tries it
/// with 5 % more, as it is and with 5 % less, bisects if all fail, then goes from half of that size to the
/// whole in three strides, and down from the best in steps of 5 % as long as the last one gained 5 %.
class StrideBaseline final : public BaselineStrategy
{
public:
    using BaselineStrategy::BaselineStrategy;

private:
    std::optional<std::int64_t> nextSize() override;
    std::optional<std::int64_t> nextForMaximum();
    std::optional<std::int64_t> nextStride();

    /// 0 until it is found.
    std::int64_t m_maximum = 0;
    std::size_t m_guess = 0;
    /// Samples/s of the fastest size before the last step down; 0 before the first.
    double m_speedBeforeStep = 0.0;
};
