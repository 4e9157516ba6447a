// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>

namespace batchpeak::accumulation {

/// Rules of torchtune's RFC (PR 2199) for a batch size that grows up to a measured maximum.

/// Decision on an increment that a batch_increase_function returned.
struct GrowthDecision
{
    enum class Kind {
        /// The increment is 0.
        Stays,
        /// The increment is applied; a negative one makes the batch size smaller.
        Changes,
        /// The increment would exceed the maximum: it is ignored as a whole, not reduced to what would fit.
        PassesMaximum,
        /// The increment would leave less than one sample: it is ignored.
        LeavesNothing
    };
    Kind kind = Kind::Stays;
    /// Batch size to train with from now on.
    std::int64_t batchSize = 1;

    bool operator==(const GrowthDecision&) const = default;
};

/// Applies an increment that is not 0 if \p current + \p increment is at least 1 and at most \p maximum.
GrowthDecision decideGrowth(std::int64_t current, std::int64_t increment, std::int64_t maximum);

/// Returns the largest power of two that is at most \p number, which is at least 1. The RFC rounds a maximum
/// in this way.
inline std::int64_t powerOfTwoAtMost(std::int64_t number)
{
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(number)));
}

} // namespace batchpeak::accumulation
