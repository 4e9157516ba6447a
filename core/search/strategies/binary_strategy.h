// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "searching_strategy.h"

namespace batchpeak::search {

/// Doubles until a size does not fit, bisects the limit of memory, and recommends the best of what was
/// measured on the way.
///
/// It looks for the largest size that fits, and runs out of memory on purpose. That another size may be
/// faster is of no interest to it.
class BinaryStrategy final : public SearchingStrategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit BinaryStrategy(const SearchSpace& space);

private:
    std::optional<Choice> choose() const override;
    int remainingTrials(const std::optional<Choice>& next) const override;

    std::optional<std::int64_t> doubled() const;
    /// The smallest size above the largest good one that cannot be used; 0 where there is none.
    std::int64_t smallestUnusable() const;
};

} // namespace batchpeak::search
