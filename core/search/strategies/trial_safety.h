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

/// Determines which sizes may be tried, so that a search hardly ever runs out of memory.
///
/// It states what is allowed. The strategy decides which of the allowed sizes is worth a trial, and
/// MemoryModel states how probable a fit is.
class TrialSafety
{
public:
    struct Situation
    {
        const CandidateSet& candidates;
        const TrialHistory& history;
        const MemoryModel& memory;
        std::span<const std::int64_t> inFlight;
        /// Sizes that are left alone for now.
        std::span<const std::int64_t> skipped = {};
    };

    explicit TrialSafety(const Situation& situation);

    /// Whether the size has neither failed nor been void too often, is neither excluded nor skipped, and a
    /// strategy may still learn from it.
    bool isUsable(std::int64_t size) const;
    bool isInFlight(std::int64_t size) const;
    /// Whether a size larger than any that ran is under way, and may fail.
    bool isBesideUnknown() const { return m_isBesideUnknown; }
    /// Whether the size cannot run out of memory, or is unlikely enough to. A size that is not above the
    /// largest one that ran needs no probability.
    bool isSafe(std::int64_t size) const;
    /// Whether the size is usable, safe and not already under way.
    bool mayBeTried(std::int64_t size) const;

    /// Whether, according to the peaks of other sizes, even half as much again, or the largest allowed size,
    /// is as certain to fit as a safe size.
    bool isHeldByFar(std::int64_t size) const;

    /// Returns the probability that the size fits, 0..1; above the largest size that ran, it is
    /// MemoryModel's.
    double predictedFit(std::int64_t size) const;
    /// Returns the largest size that is safe according to memory, whether or not it is allowed; 0 if there is
    /// none.
    std::int64_t largestSafe() const;

private:
    Situation m_situation;
    std::int64_t m_largestRun;
    bool m_isBesideUnknown;
};

/// Determines what to try at the boundary of the safe sizes, when no safe size teaches more but the next
/// allowed size is neither safe nor excluded: such as 48 after 24 in a list of divisors.
///
/// A trial on the way to it, of a size that need not be allowed as an answer, tells more about memory without
/// the cost of a failure. The size itself is risked only once, after these trials and if the chance is even.
/// The strategy is responsible for asking no sooner than it must.
class BoundaryProbe
{
public:
    BoundaryProbe(const TrialSafety::Situation& situation, const PosteriorSummary& summary);

    std::optional<std::int64_t> next() const;

    /// Whether everything that could still beat the best size is beyond what may be tried, so that more
    /// trials of known sizes would be in vain.
    bool isInVain() const;

private:
    bool isWorthIt() const;
    std::optional<std::int64_t> onTheWayTo(std::int64_t size) const;

    TrialSafety::Situation m_situation;
    TrialSafety m_safety;
    const PosteriorSummary& m_summary;
};

} // namespace batchpeak::search
