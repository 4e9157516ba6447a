// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchpeak::accumulation {

/// What becomes of the increment that a batch_increase_function answers (torchtune RFC, PR 2199).
struct GrowthDecision
{
    enum class Kind {
        /// The increment is 0.
        Stays,
        /// The batch size is now the larger one, or the smaller one for a negative increment.
        Changes,
        /// It would pass the maximum: ignored whole, not cut to what would fit.
        PassesMaximum,
        /// It would leave less than one sample: ignored.
        LeavesNothing
    };
    Kind kind = Kind::Stays;
    /// To train with from now on.
    std::int64_t batchSize = 1;

    bool operator==(const GrowthDecision&) const = default;
};

/// An increment is applied where it is not 0 and current + increment is at most the maximum.
GrowthDecision decideGrowth(std::int64_t current, std::int64_t increment, std::int64_t maximum);

} // namespace batchpeak::accumulation
