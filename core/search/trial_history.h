// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "measurement.h"

#include <cstdint>
#include <vector>

namespace batchpeak::search {

/// The trials of a search so far, and what they say about which sizes may be used.
///
/// A size is "good" when it ran within the memory limit without thrashing and has never failed. A size
/// "failed" when it did not fit, thrashed or needed more than the limit. A verification runs in a fresh
/// process: where it runs out of memory, larger sizes have failed too, whatever older processes ran, but for
/// those that were verified themselves. Estimates of times and of memory between the sizes that were tried
/// belong to the models.
///
/// Above what ran, a size that breaks down twice has failed as well. A failure that is unlikely is not
/// believed at once, be it of memory or a breakdown: the first such size is "odd", and is tried again. Where
/// it fails again, one larger size decides: it runs, and the odd size alone is left out; or it fails, and the
/// odd one has failed too.
class TrialHistory
{
public:
    /// \param memoryLimitBytes  0 where memory sets no limit
    explicit TrialHistory(std::int64_t memoryLimitBytes);

    /// A measurement that cannot be (a time that is not a positive number, a negative peak, a size below
    /// 1) is kept as void. One of today takes back what is recalled of failures up to its size, where it
    /// runs.
    /// \param isUnlikely  of a failure: memory holds the size, by all that was known before; of a second one,
    ///        a larger size too that can decide
    void record(Measurement measurement, bool isUnlikely = false);
    /// Whether this trial of today shows that what is recalled is of another device, network or program than
    /// it seemed: its time or its peak is far from those of the same size, what ran does not fit, or says
    /// nothing twice.
    bool contradictsRecalled(const Measurement& measurement) const;
    /// Takes all recalled ones back.
    void forgetRecalled();

    const std::vector<Measurement>& all() const { return m_all; }
    /// Trials whose step time is sound, also those of sizes above the memory limit.
    const std::vector<Measurement>& timed() const { return m_timed; }

    /// Ascending, each once.
    const std::vector<std::int64_t>& goodSizes() const { return m_goodSizes; }
    bool isGood(std::int64_t size) const;
    bool hasFailed(std::int64_t size) const;
    /// Timed trials of this size.
    int timedTrials(std::int64_t size) const;
    /// Those that say nothing, and failures of the odd size that are not believed.
    int voidTrials(std::int64_t size) const;
    /// A void trial is repeated once: after a second one a third would not tell more.
    bool isGivenUp(std::int64_t size) const { return voidTrials(size) > 1; }
    /// The odd size, as long as no larger one has run and it has neither run nor failed; 0 where there is
    /// none.
    std::int64_t oddSize() const;
    /// Nor would a third comparison, where two came to nothing without a size's fault.
    bool isComparingGivenUp() const { return isGivenUp(0); }
    /// Trials that did not fit; one that ran beyond the limit or thrashed is none of them.
    int outOfMemoryTrials() const { return m_outOfMemoryTrials; }
    /// All but verifications and recalled ones, which no budget of trials is charged for.
    int countedTrials() const;
    int recalledTrials() const;
    /// Whether the size has run in this search, or, of 0, any.
    bool hasRunNow(std::int64_t size = 0) const;
    /// Enough of today to believe what is recalled of the size: a trial that nothing disturbed, or several.
    bool isCheckedNow(std::int64_t size) const;

    /// 0 where there is none.
    std::int64_t largestGood() const;
    /// The smallest failed size above the largest good one: a failure below a size that ran was no
    /// matter of memory. 0 where there is none.
    std::int64_t smallestFailure() const;
    /// Whether memory is what the smallest failure ran out of, or none is known.
    bool isMemoryTheBound() const;
    /// Largest size that ran at all, within the limit or not; 0 where there is none.
    std::int64_t largestRun() const;

private:
    template<typename Which>
    void forget(Which isForgotten);
    bool isOdd(const Measurement& measurement, bool isUnlikely) const;
    void noteBreakdown(std::int64_t size);
    void fail(std::int64_t size);
    void barAbove(std::int64_t failure);
    bool isBarred(std::int64_t size) const;
    bool needsMore(const Measurement& measurement) const;

    std::int64_t m_memoryLimitBytes = 0;
    std::vector<Measurement> m_all;
    std::vector<Measurement> m_timed;
    std::vector<std::int64_t> m_goodSizes;
    std::vector<std::int64_t> m_failedSizes;
    /// That ran in a fresh process, and the smallest that ran out of memory there; 0 where none did.
    std::vector<std::int64_t> m_verifiedSizes;
    std::int64_t m_smallestFreshFailure = 0;
    /// The first of today; 0 where there was none, or it has run since.
    std::int64_t m_oddSize = 0;
    int m_outOfMemoryTrials = 0;
};

} // namespace batchpeak::search
