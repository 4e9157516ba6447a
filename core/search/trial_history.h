// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "measurement.h"

#include <cstdint>
#include <vector>

namespace batchpeak::search {

/// The trials of a search so far, and what they say about which sizes may be used.
///
/// A size is "good" if it ran within the memory limit without thrashing and has never failed. A size "failed"
/// if it did not fit, thrashed or needed more than the limit. A verification runs in a fresh process: if it
/// runs out of memory, larger sizes have failed too, whatever ran in older processes, except sizes that were
/// verified themselves. Estimates of times and of memory between the tried sizes belong to the models.
///
/// A size above those that ran that breaks down twice has failed as well. An unlikely failure, either out of
/// memory or a breakdown, is not believed at once: the first such size is "odd", and is tried again. If it
/// fails again, one larger size decides. If that one runs, only the odd size is left out; if it fails, the
/// odd size has failed too.
class TrialHistory
{
public:
    /// \param memoryLimitBytes  0 where memory sets no limit
    explicit TrialHistory(std::int64_t memoryLimitBytes);

    /// Records a measurement. An impossible one (a time that is not a positive number, a negative peak, a
    /// size below 1) is kept as void. A measurement of this search that ran removes the recalled failures up
    /// to its size.
    /// \param isUnlikely  for a failure: whether the size fits in memory according to all that was known
    ///        before; for a second one: whether that also holds for a larger size that can decide
    void record(Measurement measurement, bool isUnlikely = false);
    /// Returns whether this trial of this search shows that the recalled trials are from a different device,
    /// network or program than assumed: its time or its peak is far from that of the same size, or it does
    /// not fit although this size or a larger one ran, or a size that ran says nothing twice.
    bool contradictsRecalled(const Measurement& measurement) const;
    /// Removes all recalled trials.
    void forgetRecalled();

    const std::vector<Measurement>& all() const { return m_all; }
    /// Trials whose step time is sound, including those of sizes above the memory limit.
    const std::vector<Measurement>& timed() const { return m_timed; }

    /// Ascending, each once.
    const std::vector<std::int64_t>& goodSizes() const { return m_goodSizes; }
    bool isGood(std::int64_t size) const;
    bool hasFailed(std::int64_t size) const;
    /// Returns the number of timed trials of this size.
    int timedTrials(std::int64_t size) const;
    /// Returns the number of trials that say nothing, or are failures of the odd size that are not believed.
    int voidTrials(std::int64_t size) const;
    /// Whether the size is given up. A void trial is repeated once: after a second one, a third would not
    /// tell more.
    bool isGivenUp(std::int64_t size) const { return voidTrials(size) > 1; }
    /// Returns the odd size, as long as no larger size has run and it has neither run nor failed; 0 if there
    /// is none.
    std::int64_t oddSize() const;
    /// Whether comparing is given up: two comparisons came to nothing through no fault of a size, and a third
    /// would not tell more.
    bool isComparingGivenUp() const { return isGivenUp(0); }
    /// Number of trials that did not fit; those that ran beyond the limit or thrashed do not count.
    int outOfMemoryTrials() const { return m_outOfMemoryTrials; }
    /// Returns the number of trials except verifications and recalled ones, which do not count toward the
    /// maximum.
    int countedTrials() const;
    int recalledTrials() const;
    /// Returns whether the size has run in this search; for 0, whether any size has.
    bool hasRunNow(std::int64_t size = 0) const;
    /// Returns whether this search has measured the size well enough to believe its recalled trials: by an
    /// undisturbed trial, or by several.
    bool isCheckedNow(std::int64_t size) const;

    /// Returns 0 if there is none.
    std::int64_t largestGood() const;
    /// Returns the smallest failed size above the largest good one, or 0 if there is none. A failure below a
    /// size that ran was not due to memory.
    std::int64_t smallestFailure() const;
    /// Returns whether the smallest failure ran out of memory, or no failure is known.
    bool isMemoryTheBound() const;
    /// Returns the largest size that ran at all, within the limit or not; 0 if there is none.
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
    /// Sizes that ran in a fresh process, and the smallest size that ran out of memory there; 0 if none did.
    std::vector<std::int64_t> m_verifiedSizes;
    std::int64_t m_smallestFreshFailure = 0;
    /// The first odd size of this search; 0 if there was none, or it has run since.
    std::int64_t m_oddSize = 0;
    int m_outOfMemoryTrials = 0;
};

} // namespace batchpeak::search
