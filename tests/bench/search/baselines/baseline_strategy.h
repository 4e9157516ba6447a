// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/candidate_set.h"
#include "search/strategy.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

/// Base class of other programs' methods to find a batch size. They run one trial after another with the
/// default length, model neither time, noise, thrashing nor confidence, and end by their own rule.
///
/// Derived classes decide which size comes next, and which is the answer. They maximize the samples/s of a
/// micro-batch.
class BaselineStrategy : public batchpeak::search::Strategy
{
public:
    /// \throws std::invalid_argument if the space allows no size
    explicit BaselineStrategy(const batchpeak::search::SearchSpace& space);

    void record(const batchpeak::search::Measurement& measurement) override;
    std::optional<batchpeak::search::Proposal> next(std::span<const std::int64_t> inFlight) override;
    const batchpeak::search::SearchState& searchState() const override { return m_searchState; }

protected:
    /// Returns the next size, or nothing when the search is over.
    virtual std::optional<std::int64_t> nextSize() = 0;
    /// Returns one of the sizes that ran; called only if there is one.
    virtual std::int64_t answer() const { return fastest(); }

    const batchpeak::search::SearchSpace& space() const { return m_space; }
    const batchpeak::search::CandidateSet& candidates() const { return m_candidates; }
    bool hasRun() const { return !m_speeds.empty(); }
    bool wasTried(std::int64_t size) const;
    /// Returns the samples/s of a size that ran; 0 for any other.
    double speed(std::int64_t size) const;
    /// Returns the peak reserved bytes of a size that ran.
    double peakBytes(std::int64_t size) const { return m_peaks.at(size); }
    std::int64_t fastest() const;
    /// Returns the largest size that ran; 0 if none did.
    std::int64_t largestRun() const { return hasRun() ? m_speeds.rbegin()->first : 0; }
    std::int64_t secondLargestRun() const { return std::next(m_speeds.rbegin())->first; }
    std::size_t sizesRun() const { return m_speeds.size(); }
    std::optional<std::int64_t> smallestFailure() const { return m_smallestFailure; }

    /// Returns the next of 1, 2, 4, ... with the factor \p ratio instead of 2; nothing after a failure or at
    /// the largest size.
    std::optional<std::int64_t> nextClimb(double ratio) const;
    /// Returns the next size on the way to the largest that fits: by doubling, then by bisection.
    std::optional<std::int64_t> nextTowardLimit() const;
    /// Returns the allowed size next to \p size if it was not tried; otherwise nothing.
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
