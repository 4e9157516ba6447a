// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "memory_law.h"
#include "strategy.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::search {

class CandidateSet;
class RandomSource;
class TrialHistory;

/// Which sizes fit in memory, as far as the trials tell: draws of the largest that does, from every law that
/// may explain the peaks, anchored at the largest trial, and truncated by what ran and what failed.
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

    /// Of what was reserved, which decides the fit. Nothing before two sizes ran, or where no memory was
    /// reported.
    const std::optional<MemoryLine>& line() const { return m_line; }
    /// Of what the network itself held, without the allocator's rounding.
    const std::optional<MemoryLine>& allocatedLine() const { return m_allocatedLine; }

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
    void noteFailures(const TrialHistory& history);
    void drawFrom(const std::vector<MemoryPeak>& peaks, RandomSource& random);
    std::vector<MemoryLaw> lawsOfOneSize(const MemoryPeak& last) const;
    /// Of a slope [MiB per sample] from nothing to \p most, by the description.
    double describedDensity(double perSample, double max) const;
    /// By how much a sample takes more [MiB] from the size on at which another moment of the step needs most:
    /// at most until all but what is held belongs to the samples.
    double steeperAfterChange(double changesAt, double constantMebibytes, double perSample,
                              double normal) const;
    /// Draws that agree with the failure, if there is one, from laws weighted as they are; perhaps none.
    std::vector<std::int64_t> drawAlong(const std::vector<MemoryLaw>& laws, const MemoryPeak& last,
                                        double errorFactor, RandomSource& random) const;
    /// The size at which the law reaches the limit, or one above m_largestInMemory where it does not.
    double drawLimitAlong(const MemoryLaw& law, const MemoryPeak& last, double errorFactor,
                          RandomSource& random) const;
    /// The upper half of what lies between what ran and what failed, uniform in its logarithm.
    std::int64_t drawWithoutLaw(RandomSource& random) const;
    void boundByThrashing(RandomSource& random);
    void predictAlongLine(const CandidateSet& candidates);

    MemoryBackground m_background;
    std::int64_t m_largestGood = 0;
    /// The largest allowed size that is below the smallest that ran out of memory.
    std::int64_t m_largestInMemory = 1;
    bool m_hasFailure = false;
    /// The smallest size that thrashes; 0 where none is known.
    std::int64_t m_smallestThrash = 0;
    /// The largest size that neither failed nor leaves the allowed ones.
    std::int64_t m_largestPossible = 1;
    /// Failures below the largest size that ran, and so no matter of memory.
    std::vector<std::int64_t> m_isolatedFailures;
    std::optional<MemoryLine> m_line;
    std::optional<MemoryLine> m_allocatedLine;
    std::int64_t m_largestPredictedFit = 0;
    std::vector<std::int64_t> m_largestFits;
    std::vector<std::int64_t> m_ascendingFits;
};

} // namespace batchpeak::search
