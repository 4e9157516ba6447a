// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "searching_strategy.h"

#include <cstdint>
#include <optional>

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
    Forecast forecast(const std::optional<Choice>& next) const override;

    std::optional<std::int64_t> doubled() const;
    /// The smallest size above the largest good one that cannot be used; 0 where there is none.
    std::int64_t smallestUnusable() const;
};

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
    Forecast forecast(const std::optional<Choice>& next) const override;

    std::int64_t start() const;
};

/// Predicts the largest size that fits from the memory of the two smallest, as the torchtune RFC has it
/// (pull request 2199), and runs it to see; where it fails, it halves until one fits.
///
/// Of a range the prediction is rounded down to a power of two, unless the space wants it exact, of a list to
/// an allowed size. Allocators round small peaks, so that the two smallest sizes may tell nothing of the
/// slope; where they are equal, the prediction is the largest allowed size.
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
    /// Peak reserved bytes of a good size.
    std::int64_t peakAt(std::int64_t size) const;
};

} // namespace batchpeak::search
