// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>

namespace batchpeak::accumulation {

/// Rules of torchtune's RFC (PR 2199) for a batch size that grows up to a measured maximum.

/// What becomes of the increment that a batch_increase_function answers.
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

/// The largest power of two that is at most \p number (at least 1): how the RFC rounds a maximum.
inline std::int64_t powerOfTwoAtMost(std::int64_t number)
{
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(number)));
}

} // namespace batchpeak::accumulation
