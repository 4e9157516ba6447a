// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

namespace batchpeak::search {

class CandidateSet;
class MemoryModel;
class TrialHistory;

/// Which sizes may be tried, so that a search hardly ever runs out of memory.
///
/// It says what is allowed. Which of the allowed sizes is worth a trial is the strategy's decision, and how
/// probable a fit is comes from MemoryModel.
class TrialSafety
{
public:
    struct Situation
    {
        const CandidateSet& candidates;
        const TrialHistory& history;
        const MemoryModel& memory;
        std::span<const std::int64_t> inFlight;
    };

    explicit TrialSafety(const Situation& situation);

    /// It has neither failed nor been void too often, and a strategy may still learn from it.
    bool isUsable(std::int64_t size) const;
    bool isInFlight(std::int64_t size) const;
    /// A size larger than any that ran is under way, and may fail.
    bool isBesideUnknown() const { return m_isBesideUnknown; }
    /// It cannot run out of memory, or is unlikely enough to. A size that is not above the largest one that
    /// ran needs no probability.
    bool isSafe(std::int64_t size) const;
    /// All three: usable, safe and not under way already.
    bool mayBeTried(std::int64_t size) const;

    /// That it fits, 0..1: what MemoryModel thinks of sizes above the largest one that ran.
    double predictedFit(std::int64_t size) const;
    /// The probability of a fit that a size above the largest one that ran must have.
    double demandedFit() const;

private:
    Situation m_situation;
    std::int64_t m_largestRun;
    bool m_isBesideUnknown;
};

} // namespace batchpeak::search
