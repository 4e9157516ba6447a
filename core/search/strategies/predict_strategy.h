// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "searching_strategy.h"

namespace batchpeak::search {

/// Predicts the largest size that fits from the memory of the two smallest, as the torchtune RFC has it
/// (pull request 2199), and runs it to see; where it fails, it halves until one fits.
///
/// Of a range the prediction is rounded down to a power of two, unless the space wants it exact, of a list to
/// an allowed size. Allocators
/// round small peaks, so that the two smallest sizes may tell nothing of the slope; where they are equal, the
/// prediction is the largest allowed size.
class PredictStrategy final : public SearchingStrategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit PredictStrategy(const SearchSpace& space);

private:
    std::optional<Choice> choose() const override;
    int remainingTrials(const std::optional<Choice>& next) const override;

    std::optional<std::int64_t> nextSize() const;
    std::int64_t rounded(std::int64_t size) const;
    std::int64_t predictedSize(std::int64_t first, std::int64_t second) const;
    /// Peak reserved bytes of a good size.
    std::int64_t peakAt(std::int64_t size) const;
};

} // namespace batchpeak::search
