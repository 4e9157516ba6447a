// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/candidate_set.h"
#include "search/strategy.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

/// What other finders of batch sizes have in common: one trial after another at its usual length, no model of
/// time, no notion of noise, thrashing or confidence, and no end but their own.
///
/// Which size comes next, and which is the answer, is up to each. They maximize the samples/s of a
/// micro-batch.
class BaselineStrategy : public batchpeak::search::Strategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit BaselineStrategy(const batchpeak::search::SearchSpace& space);

    void record(const batchpeak::search::Measurement& measurement) override;
    std::optional<batchpeak::search::Proposal> next(std::span<const std::int64_t> inFlight) override;
    const batchpeak::search::SearchState& searchState() const override { return m_searchState; }

protected:
    /// Nothing when the search is over.
    virtual std::optional<std::int64_t> nextSize() = 0;
    /// One of the sizes that ran; asked only where there is one.
    virtual std::int64_t answer() const { return fastest(); }

    const batchpeak::search::SearchSpace& space() const { return m_space; }
    const batchpeak::search::CandidateSet& candidates() const { return m_candidates; }
    bool hasRun() const { return !m_speeds.empty(); }
    bool wasTried(std::int64_t size) const;
    /// Samples/s of a size that ran; 0 for any other.
    double speed(std::int64_t size) const;
    /// Peak reserved bytes of a size that ran.
    double peakBytes(std::int64_t size) const { return m_peaks.at(size); }
    std::int64_t fastest() const;
    /// Among sizes that ran; 0 where none did.
    std::int64_t largestRun() const { return hasRun() ? m_speeds.rbegin()->first : 0; }
    std::int64_t secondLargestRun() const { return std::next(m_speeds.rbegin())->first; }
    std::size_t sizesRun() const { return m_speeds.size(); }
    std::optional<std::int64_t> smallestFailure() const { return m_smallestFailure; }

    /// The next of 1, 2, 4, ... times \p ratio instead of 2; nothing after a failure or at the largest size.
    std::optional<std::int64_t> nextClimb(double ratio) const;
    /// The next size on the way to the largest that fits: by doubling, then by bisection.
    std::optional<std::int64_t> nextTowardLimit() const;
    /// The allowed size next to \p size that was not tried; nothing where it was.
    std::optional<std::int64_t> untried(double size) const;

private:
    batchpeak::search::SearchSpace m_space;
    batchpeak::search::CandidateSet m_candidates;
    std::map<std::int64_t, double> m_speeds;
    std::map<std::int64_t, double> m_peaks;
    std::optional<std::int64_t> m_smallestFailure;
    bool m_hasEnded = false;
    batchpeak::search::SearchState m_searchState;
};
