// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace batchpeak::search {

class CandidateSet;
class MemoryModel;
class TrialHistory;
struct PosteriorSummary;

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
        /// Left alone for now.
        std::span<const std::int64_t> skipped = {};
    };

    explicit TrialSafety(const Situation& situation);

    /// It has neither failed nor been void too often, nobody wants it left alone, and a strategy may still
    /// learn from it.
    bool isUsable(std::int64_t size) const;
    bool isInFlight(std::int64_t size) const;
    /// A size larger than any that ran is under way, and may fail.
    bool isBesideUnknown() const { return m_isBesideUnknown; }
    /// It cannot run out of memory, or is unlikely enough to. A size that is not above the largest one that
    /// ran needs no probability.
    bool isSafe(std::int64_t size) const;
    /// All three: usable, safe and not under way already.
    bool mayBeTried(std::int64_t size) const;

    /// By the peaks of others even half as much again, or the largest allowed size, is as sure to fit as a
    /// safe one.
    bool isHeldByFar(std::int64_t size) const;

    /// That it fits, 0..1: what MemoryModel thinks of sizes above the largest one that ran.
    double predictedFit(std::int64_t size) const;
    /// The largest size that memory makes safe, whether or not it is allowed; 0 where there is none.
    std::int64_t largestSafe() const;

private:
    Situation m_situation;
    std::int64_t m_largestRun;
    bool m_isBesideUnknown;
};

/// What to try at the boundary of the safe sizes, where nothing safe teaches more, but the next allowed size
/// is neither safe nor excluded: such as 48 after 24 of a list of divisors.
///
/// A trial on the way to it, of a size that need not be allowed as an answer, tells more of memory and costs
/// no failure. Only where that is told and the chance is even is the size itself risked, once. It is for the
/// strategy to ask no sooner than it must.
class BoundaryProbe
{
public:
    BoundaryProbe(const TrialSafety::Situation& situation, const PosteriorSummary& summary);

    std::optional<std::int64_t> next() const;

    /// Whether all that could still beat the best size is beyond what may be tried, so that more trials of
    /// what is known would be in vain.
    bool isInVain() const;

private:
    bool isWorthIt() const;
    std::optional<std::int64_t> onTheWayTo(std::int64_t size) const;

    TrialSafety::Situation m_situation;
    TrialSafety m_safety;
    const PosteriorSummary& m_summary;
};

} // namespace batchpeak::search
