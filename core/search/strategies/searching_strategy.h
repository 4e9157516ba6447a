// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "candidate_set.h"
#include "curve/posterior.h"
#include "judgement.h"
#include "memory/memory_model.h"
#include "search_state_writer.h"
#include "strategy.h"
#include "trial_cost.h"
#include "trial_history.h"
#include "trial_safety.h"

#include <optional>
#include <vector>

namespace batchpeak::search {

/// What all searches have in common: they keep the trials, learn memory and step times from them, judge the
/// best size and tell how they stand.
///
/// A subclass decides nothing but which size is tried next. What is known comes from Posterior and
/// MemoryModel, how sure it is from judge(), and whether a search has ended from SearchStateWriter.
class SearchingStrategy : public Strategy
{
public:
    SearchingStrategy(const SearchingStrategy&) = delete;
    SearchingStrategy& operator=(const SearchingStrategy&) = delete;

    void record(const Measurement& measurement) final;
    std::optional<Proposal> next(std::span<const std::int64_t> inFlight) final;
    const SearchState& searchState() const final { return m_searchState; }

    /// What the trials so far leave possible, also for those who fit the calibration of its shares; nothing
    /// before a trial was timed.
    const std::optional<Posterior>& posterior() const { return m_posterior; }

protected:
    struct Choice
    {
        std::int64_t size = 1;
        TrialCost::Length length;
        /// Towards larger sizes that are likely to be faster.
        bool isClimbing = false;
    };
    enum class Ending {
        /// As soon as the confidence asked for is reached, or else when no size is left to try.
        WhenConfident,
        /// When no size is left to try, however sure it is by then.
        WhenNothingIsLeft
    };

    /// \throws std::invalid_argument where the space allows no size
    SearchingStrategy(const SearchSpace& space, Ending ending);

    /// Asks for the next trial and writes the search state. A subclass calls it at the end of its
    /// constructor, since it cannot be asked earlier.
    void plan();

    const SearchSpace& space() const { return m_space; }
    const CandidateSet& candidates() const { return m_candidates; }
    const TrialHistory& history() const { return m_history; }
    const MemoryModel& memory() const { return m_memory; }
    const Judgement& judgement() const { return m_judgement; }
    const TrialCost& cost() const { return m_cost; }
    /// Proposed and not yet recorded, as far as the last call of next() knew.
    const std::vector<std::int64_t>& inFlight() const { return m_inFlight; }
    TrialSafety safety() const { return TrialSafety({m_candidates, m_history, m_memory, m_inFlight}); }

    /// Whether a trial of this size goes beyond what ran because the largest good size is the best so far.
    bool climbsTo(std::int64_t size) const;
    /// The usual trial of a size that was not measured yet.
    Choice trialOf(std::int64_t size) const;

    /// Trials that it takes to lower what speaks against the recommendation to what the target leaves, where
    /// each \p trialsPerHalving of them halve it.
    int trialsUntilConfident(double trialsPerHalving) const;

private:
    /// Nothing where no size is worth a trial, or none before one in flight has ended.
    virtual std::optional<Choice> choose() const = 0;
    /// Trials still to come, the next one among them.
    virtual int remainingTrials(const std::optional<Choice>& next) const = 0;

    Proposal proposalFor(const Choice& choice) const;
    double abandonAbove(std::int64_t size) const;

    SearchSpace m_space;
    Ending m_ending;
    CandidateSet m_candidates;
    TrialHistory m_history;
    MemoryModel m_memory;
    std::optional<Posterior> m_posterior;
    Judgement m_judgement;
    TrialCost m_cost;
    SearchStateWriter m_writer;
    SearchState m_searchState;
    std::vector<std::int64_t> m_inFlight;
    /// What is best beside those, once it is planned: proposing it makes a new plan necessary.
    std::optional<Choice> m_next;
    bool m_isPlanned = false;
};

} // namespace batchpeak::search
