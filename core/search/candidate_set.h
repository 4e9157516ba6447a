// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::search {

/// The sizes that are allowed as an answer: every size of a range, or those of a list.
///
/// It contains only which sizes are allowed, not which of them fit or are fast.
class CandidateSet
{
public:
    /// \throws std::invalid_argument if no size is allowed, or the list is not ascending and within the
    ///        bounds
    explicit CandidateSet(const SearchSpace& space);

    std::int64_t smallest() const;
    std::int64_t largest() const;
    bool contains(std::int64_t size) const;

    /// Sizes of the space that were excluded later, ascending.
    const std::vector<std::int64_t>& excluded() const { return m_excluded; }
    bool isExcluded(std::int64_t size) const;
    /// Excludes an allowed size, or allows one again.
    /// \return whether anything changed; the last allowed size cannot be excluded
    bool setExcluded(std::int64_t size, bool isExcluded);

    /// Returns the largest allowed size that is not above \p size.
    std::optional<std::int64_t> atMost(std::int64_t size) const;
    /// Returns the smallest allowed size above \p size.
    std::optional<std::int64_t> above(std::int64_t size) const;

    /// Returns half of \p size, or the next allowed size below that, or else the smallest size. Returns
    /// nothing if \p size is not above the smallest.
    std::optional<std::int64_t> halved(std::int64_t size) const;
    /// Returns the largest power of two (of a range) or the largest size (of a list) that is not above \p
    /// limit; the smallest allowed size if there is none.
    std::int64_t powerOfTwoAtMost(std::int64_t limit) const;

    /// Returns an allowed size strictly between the two, near their geometric mean. For a range, it is a
    /// multiple of the largest power of two that fits four times into the gap, since tiles and vector units
    /// favor such sizes.
    std::optional<std::int64_t> between(std::int64_t low, std::int64_t high) const;

    /// Returns the allowed sizes up to \p limit at which to evaluate a curve: all small sizes, then one every
    /// 0.4 % plus the multiples of 8 (up to 1200) and of 64; above \p fineLimit one every 2 %. Ascending.
    ///
    /// Peaks of step-time curves lie at multiples of tile sizes.
    std::vector<std::int64_t> grid(std::int64_t limit, std::int64_t fineLimit) const;

private:
    /// These two include the excluded sizes.
    std::optional<std::int64_t> spaceAtMost(std::int64_t size) const;
    std::optional<std::int64_t> spaceAbove(std::int64_t size) const;

    std::int64_t m_smallest = 1;
    std::int64_t m_largest = 1;
    /// Empty if every size of the range is allowed.
    std::vector<std::int64_t> m_list;
    std::vector<std::int64_t> m_excluded;
};

} // namespace batchpeak::search
