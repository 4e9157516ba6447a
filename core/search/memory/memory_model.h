// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::search {

class CandidateSet;
class RandomSource;
class TrialHistory;

/// Which sizes fit in memory, as far as the trials tell: peak memory is affine in the size, and an
/// allocator adds steps, so that the slope comes from the largest trials.
///
/// It says how probable a fit is. Whether that is enough to try a size is up to the strategy.
class MemoryModel
{
public:
    /// Draws of the largest fitting size.
    static constexpr int drawCount = 320;

    /// \param space  limit and baseline [bytes]; a limit of 0 stands for unlimited memory
    MemoryModel(const SearchSpace& space, const CandidateSet& candidates, const TrialHistory& history,
                RandomSource& random);

    /// Nothing before two sizes ran, or where no memory was reported.
    const std::optional<MemoryLine>& line() const { return m_line; }

    /// Share of the draws in which \p size fits: 1 up to the largest good size, 0 from a failure on.
    double probabilityOfFit(std::int64_t size) const;

    /// The largest size that is at least as probable as this to fit; 0 where there is none.
    std::int64_t largestWithFit(double probability) const;

    /// The largest allowed size whose peak on the line is within the limit, between what ran and what
    /// failed; 0 where there is no line.
    std::int64_t largestPredictedFit() const { return m_largestPredictedFit; }

    /// drawCount draws of the largest fitting size, in no order; at least 1 and at most the largest
    /// allowed size. One belongs to each sample path of the step times.
    const std::vector<std::int64_t>& largestFits() const { return m_largestFits; }

private:
    struct Peak
    {
        double size = 1.0;
        double mebibytes = 0.0;
    };
    /// Slope of the peaks [MiB per sample] and its uncertainty.
    struct Slope
    {
        double perSample = 0.0;
        double deviation = 0.0;
        /// Above 0: nothing but this bound is known, and any slope below it is as likely.
        double upperBound = 0.0;
    };

    static Slope fitSlope(const std::vector<Peak>& peaks, double baselineMebibytes);
    void predictAlongLine(const Slope& slope, const Peak& last, const CandidateSet& candidates);
    /// Any size between what ran and what failed, uniform in its logarithm.
    std::int64_t drawWithoutLine(RandomSource& random) const;
    std::int64_t drawLargestFit(const Slope& slope, const Peak& last, RandomSource& random) const;

    double m_limitMebibytes = 0.0;
    std::int64_t m_largestGood = 0;
    /// The largest size that neither failed nor leaves the allowed ones.
    std::int64_t m_largestPossible = 1;
    bool m_hasFailure = false;
    /// Failures below the largest size that ran, and so no matter of memory.
    std::vector<std::int64_t> m_isolatedFailures;
    std::optional<MemoryLine> m_line;
    std::int64_t m_largestPredictedFit = 0;
    std::vector<std::int64_t> m_largestFits;
    std::vector<std::int64_t> m_ascendingFits;
};

} // namespace batchpeak::search
