// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "searching_strategy.h"

namespace batchpeak::search {

/// Divides by two until it fits, as Composer's device_train_microbatch_size "auto" does, and stays with the
/// first size that runs.
///
/// It starts at the per-device batch. A batch of one sample stands for none being known, and the start is
/// then the largest allowed size: of a list the last one, of a range the last power of two in it. It never
/// looks whether a smaller size is faster, nor between two halvings.
class HalvingStrategy final : public SearchingStrategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit HalvingStrategy(const SearchSpace& space);

private:
    std::optional<Choice> choose() const override;
    int remainingTrials(const std::optional<Choice>& next) const override;

    std::int64_t start() const;
};

} // namespace batchpeak::search
