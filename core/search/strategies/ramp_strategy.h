// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "searching_strategy.h"

#include <cstdint>
#include <optional>

namespace batchpeak::search {

/// Tries powers of two until memory or throughput ends, then the middle of the gaps beside the best size,
/// then sizes that may still beat it, until the confidence is high enough.
///
/// It tries only sizes that TrialSafety allows, except for a last probe at their boundary.
class RampStrategy final : public SearchingStrategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit RampStrategy(const SearchSpace& space);

private:
    enum class Purpose {
        /// Tries powers of two upward.
        Climb,
        /// Tries a gap beside the best size, or a size that may beat it.
        Refine,
        /// Tries a size again that was measured before but cannot be told apart from another.
        Repeat
    };

    std::optional<Choice> choose() const override;
    Forecast forecast(const std::optional<Choice>& next) const override;

    std::optional<Choice> climb() const;
    std::optional<Choice> bisect() const;
    std::optional<Choice> challenge() const;
    std::optional<Choice> lastResort() const;

    Choice trialFor(Purpose purpose, std::int64_t size) const;
    bool throughputHasEnded() const;
    /// Whether the size is allowed, usable and not under way.
    bool isFree(std::int64_t size) const;
};

} // namespace batchpeak::search
