// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "searching_strategy.h"

#include <cstdint>
#include <optional>

namespace batchpeak::search {

/// Doubles the size until it does not fit, bisects the limit of memory, and recommends the best of what was
/// measured on the way.
///
/// It looks for the largest size that fits, and runs out of memory on purpose. It ignores that another size
/// may be faster.
class BinaryStrategy final : public SearchingStrategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit BinaryStrategy(const SearchSpace& space);

private:
    std::optional<Choice> choose() const override;
    Forecast forecast(const std::optional<Choice>& next) const override;

    std::optional<std::int64_t> doubled() const;
    /// Returns the smallest size above the largest good one that cannot be used; 0 if there is none.
    std::int64_t smallestUnusable() const;
};

/// Divides the size by two until it fits, as Composer's device_train_microbatch_size "auto" does, and keeps
/// the first size that runs.
///
/// It starts at the per-device batch. A batch of one sample means that none is known; it then starts at the
/// largest allowed size: the last size of a list, or the last power of two in a range. It never checks
/// whether a smaller size is faster, and tries no size between two halvings.
class HalvingStrategy final : public SearchingStrategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit HalvingStrategy(const SearchSpace& space);

private:
    std::optional<Choice> choose() const override;
    Forecast forecast(const std::optional<Choice>& next) const override;

    std::int64_t start() const;
};

/// Predicts the largest size that fits from the memory of the two smallest sizes, as in the torchtune RFC
/// (pull request 2199), and runs it to verify the prediction. If it fails, the strategy halves it until one
/// fits.
///
/// In a range, the prediction is rounded down to a power of two, unless the space wants it exact; in a list,
/// to an allowed size. Allocators round small peaks, so that the two smallest sizes may not show the slope;
/// if their peaks are equal, the prediction is the largest allowed size.
class PredictStrategy final : public SearchingStrategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit PredictStrategy(const SearchSpace& space);

private:
    std::optional<Choice> choose() const override;
    Forecast forecast(const std::optional<Choice>& next) const override;

    std::optional<std::int64_t> nextSize() const;
    std::int64_t rounded(std::int64_t size) const;
    std::int64_t predictedSize(std::int64_t first, std::int64_t second) const;
    /// Returns the peak of the reserved bytes of a good size.
    std::int64_t peakAt(std::int64_t size) const;
};

} // namespace batchpeak::search
