// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::search {

/// The sizes that are allowed as an answer: every one of a range, or those of a list.
///
/// It knows which sizes there are, and nothing of which fit or are fast.
class CandidateSet
{
public:
    /// \throws std::invalid_argument where no size is allowed, or the list is not ascending and within
    ///         the bounds
    explicit CandidateSet(const SearchSpace& space);

    std::int64_t smallest() const;
    std::int64_t largest() const;
    bool contains(std::int64_t size) const;

    /// Sizes of the space that are not allowed after all, ascending.
    const std::vector<std::int64_t>& excluded() const { return m_excluded; }
    bool isExcluded(std::int64_t size) const;
    /// Excludes an allowed size, or allows one again.
    /// \return whether anything is another than before: the last allowed size stays
    bool setExcluded(std::int64_t size, bool isExcluded);

    /// The largest allowed size that is not above \p size.
    std::optional<std::int64_t> atMost(std::int64_t size) const;
    /// The smallest allowed size above \p size.
    std::optional<std::int64_t> above(std::int64_t size) const;

    /// Half of \p size, or the next allowed size below that, or the smallest one; nothing below the smallest.
    std::optional<std::int64_t> halved(std::int64_t size) const;
    /// Of a range the largest power of two that is not above \p limit, of a list the largest size that is
    /// not; the smallest allowed size where there is none.
    std::int64_t powerOfTwoAtMost(std::int64_t limit) const;

    /// An allowed size strictly between the two, near their geometric mean. Of a range it is a multiple
    /// of the largest power of two that goes four times into the gap, since tiles and vector units favor
    /// such sizes.
    std::optional<std::int64_t> between(std::int64_t low, std::int64_t high) const;

    /// Allowed sizes up to \p limit at which a curve is worth knowing: all small ones, then one every
    /// 0.4 % and the multiples of 8 (to 1200) and 64; above \p fineLimit one every 2 %. Ascending.
    ///
    /// Peaks of step-time curves lie at multiples of tile sizes.
    std::vector<std::int64_t> grid(std::int64_t limit, std::int64_t fineLimit) const;

private:
    /// With the excluded ones.
    std::optional<std::int64_t> spaceAtMost(std::int64_t size) const;
    std::optional<std::int64_t> spaceAbove(std::int64_t size) const;

    std::int64_t m_smallest = 1;
    std::int64_t m_largest = 1;
    /// Empty where every size of the range is allowed.
    std::vector<std::int64_t> m_list;
    std::vector<std::int64_t> m_excluded;
};

} // namespace batchpeak::search
