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

/// Which sizes fit in memory, as far as the trials tell: draws of the largest size that fits, from every law
/// that may explain the peaks, anchored at the largest trial, and truncated by what ran and what failed.
///
/// It states how probable a fit is. The strategy decides whether that is enough to try a size.
class MemoryModel
{
public:
    /// Number of draws of the largest fitting size.
    static constexpr int drawCount = 320;

    /// \param space  limit and baseline [bytes]; a limit of 0 stands for unlimited memory
    MemoryModel(const SearchSpace& space, const CandidateSet& candidates, const TrialHistory& history,
                RandomSource& random);

    /// Line of the reserved memory, which decides the fit. Nothing before two sizes ran, or if no memory was
    /// reported.
    const std::optional<MemoryLine>& line() const { return m_line; }
    /// Line of the memory that the network itself held, without the allocator's rounding.
    const std::optional<MemoryLine>& allocatedLine() const { return m_allocatedLine; }

    /// Returns the share of the draws in which \p size fits: 1 up to the largest good size, 0 from a failure
    /// on.
    double probabilityOfFit(std::int64_t size) const;

    /// Returns the largest size that fits with at least this probability; 0 if there is none.
    std::int64_t largestWithFit(double probability) const;

    /// The largest allowed size whose peak on the line is within the limit, between what ran and what failed;
    /// 0 if there is no line.
    std::int64_t largestPredictedFit() const { return m_largestPredictedFit; }

    /// drawCount draws of the largest fitting size, in random order; at least 1 and at most the largest
    /// allowed size. One belongs to each sample path of the step times.
    const std::vector<std::int64_t>& largestFits() const { return m_largestFits; }

private:
    void noteFailures(const TrialHistory& history);
    void drawFrom(const std::vector<MemoryPeak>& peaks, RandomSource& random);
    std::vector<MemoryLaw> lawsOfOneSize(const MemoryPeak& last) const;
    /// Returns the probability density of a slope [MiB per sample] between 0 and \p max, according to the
    /// description.
    double describedDensity(double perSample, double max) const;
    /// Returns by how much a sample takes more memory [MiB] above the size at which another moment of the
    /// step starts to need most: at most until everything but what is held belongs to the samples.
    double steeperAfterChange(double changesAt, double constantMebibytes, double perSample,
                              double normal) const;
    /// Returns the draws that agree with the failure, if there is one, from the laws with their weights; may
    /// be empty.
    std::vector<std::int64_t> drawAlong(const std::vector<MemoryLaw>& laws, const MemoryPeak& last,
                                        double errorFactor, RandomSource& random) const;
    /// Returns the size at which the law reaches the limit, or a size above m_largestInMemory if it does not.
    double drawLimitAlong(const MemoryLaw& law, const MemoryPeak& last, double errorFactor,
                          RandomSource& random) const;
    /// Returns a draw from the upper half of the range between what ran and what failed, uniform in the
    /// logarithm of the size.
    std::int64_t drawWithoutLaw(RandomSource& random) const;
    void boundByThrashing(RandomSource& random);
    void predictAlongLine(const CandidateSet& candidates);

    MemoryBackground m_background;
    std::int64_t m_largestGood = 0;
    /// The largest allowed size that is below the smallest size that ran out of memory.
    std::int64_t m_largestInMemory = 1;
    bool m_hasFailure = false;
    /// The smallest size that thrashes; 0 if none is known.
    std::int64_t m_smallestThrash = 0;
    /// The largest size that has neither failed nor is outside the allowed sizes.
    std::int64_t m_largestPossible = 1;
    /// Failures below the largest size that ran, which are therefore not due to memory.
    std::vector<std::int64_t> m_isolatedFailures;
    std::optional<MemoryLine> m_line;
    std::optional<MemoryLine> m_allocatedLine;
    std::int64_t m_largestPredictedFit = 0;
    std::vector<std::int64_t> m_largestFits;
    std::vector<std::int64_t> m_ascendingFits;
};

} // namespace batchpeak::search
