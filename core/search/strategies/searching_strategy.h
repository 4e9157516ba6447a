// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "candidate_set.h"
#include "curve/posterior.h"
#include "memory/memory_model.h"
#include "posterior_summary.h"
#include "strategy.h"
#include "trial_cost.h"
#include "trial_forecast.h"
#include "trial_history.h"
#include "trial_safety.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::search {

/// What all searches have in common: they keep the trials, learn memory and step times from them, tell how
/// they stand, and end when a confidence is to be believed or nothing is left to try.
///
/// A subclass decides nothing but which size is tried next. What is known comes from Posterior and
/// MemoryModel, and how sure it is from summarize().
class SearchingStrategy : public Strategy
{
public:
    SearchingStrategy(const SearchingStrategy&) = delete;
    SearchingStrategy& operator=(const SearchingStrategy&) = delete;

    void record(const Measurement& measurement) final;
    std::optional<Proposal> next(std::span<const std::int64_t> inFlight) final;
    const SearchState& searchState() const final { return m_searchState; }
    void continueSearch(int maxTrials) final;
    bool canContinue() final;
    Abilities abilities() const override;
    void setExcluded(std::int64_t size, bool isExcluded) final;
    std::optional<Proposal> asked(std::int64_t size) final;
    void skip(std::span<const std::int64_t> sizes) final;
    void setTolerance(double tolerance) final;
    void setTargetConfidence(double probability) final;
    void setMaxTrials(int maxTrials) final;

    /// What the trials so far leave possible, also for those who fit the calibration of its shares; nothing
    /// before a trial was timed.
    const std::optional<Posterior>& posterior() const { return m_posterior; }
    const PosteriorSummary& summary() const { return m_summary; }
    /// The same for the weights of forecasts.
    ForecastCase forecastCase() const;

protected:
    struct Choice
    {
        std::int64_t size = 1;
        TrialCost::Length length;
        /// Toward larger sizes that are likely to be faster.
        bool isClimbing = false;
        /// To learn where memory ends, whether or not the size may be the answer.
        bool probesMemory = false;
        /// As in Proposal.
        std::vector<std::int64_t> comparedSizes;
        int visits = 0;
        int stepsPerVisit = 0;
    };
    enum class StoppingRule {
        /// As soon as the confidence asked for is reached, or else when no size is left to try.
        Confident,
        /// When no size is left to try, however sure it is by then.
        Exhausted
    };

    /// \throws std::invalid_argument where the space allows no size
    SearchingStrategy(const SearchSpace& space, StoppingRule stoppingRule);

    /// Asks for the next trial and updates the search state. A subclass calls it at the end of its
    /// constructor, since it cannot be asked earlier.
    void plan();

    const SearchSpace& space() const { return m_space; }
    const CandidateSet& candidates() const { return m_candidates; }
    const TrialHistory& history() const { return m_history; }
    const MemoryModel& memory() const { return m_memory; }
    const TrialCost& cost() const { return m_cost; }
    /// Proposed and not yet recorded, as far as the last call of next() knew.
    const std::vector<std::int64_t>& inFlight() const { return m_inFlight; }
    TrialSafety safety() const { return TrialSafety(situation()); }
    BoundaryProbe boundaryProbe() const { return BoundaryProbe(situation(), m_summary); }

    /// The time of all trials, those that are recalled too [s].
    double secondsSoFar() const;
    /// It was asked to go on after an end: no trial is too little worth.
    bool continues() const { return m_continues; }

    /// recall() of a strategy whose trials follow from what is known.
    void learnFromEarlier(std::span<const Measurement> measurements);
    /// Where trials are recalled, the recommended size until it has run in this search; 0 where none is to be
    /// checked.
    std::int64_t recalledToCheck() const;
    /// Where a search begins that goes up: at the smallest allowed size, or above it where that does not run,
    /// whatever the memory.
    std::int64_t firstSize() const;
    /// Whether every allowed size that may fit was timed, or is given up.
    bool allTried() const;
    /// Whether a trial of this size goes beyond what ran because the largest good size is the best so far.
    bool climbsTo(std::int64_t size) const;
    /// The usual trial of a size that was not measured yet.
    Choice trialOf(std::int64_t size) const;

    /// So many trials of the usual length, to a factor of two.
    Forecast forecastOfTrials(int trials) const;
    /// The forecast without what lies beyond so many trials.
    static Forecast atMost(Forecast forecast, int maxTrials);
    /// Trials until the search ends because its rivals are out of reach, as they are now; those of the whole
    /// search where they are not.
    int trialsBeforeOutOfReach() const;
    /// Trials that it takes to lower what speaks against the recommendation to what the target leaves, where
    /// each \p trialsPerHalving of them halve it.
    int trialsUntilConfident(double trialsPerHalving) const;

private:
    /// Nothing where no size is worth a trial, or none before one in flight has ended.
    virtual std::optional<Choice> choose() const = 0;
    /// Of the trials still to come, the next one among them.
    virtual Forecast forecast(const std::optional<Choice>& next) const = 0;

    TrialSafety::Situation situation() const
    {
        return {m_candidates, m_history, m_memory, m_inFlight, m_skipped};
    }
    /// What comes before anything that a subclass would try: a size in doubt.
    std::optional<Choice> nextChoice() const;
    std::optional<Choice> trialInDoubt() const;
    std::optional<std::int64_t> decidingSize(std::int64_t odd) const;
    void learn(const std::optional<CalibrationCase>& before);
    /// No more trials than may still be run.
    Forecast withinBudget(Forecast forecast) const;
    void forgetRecalled();
    void judgeConfidence();
    bool isRefused(std::int64_t size) const;
    /// The recommended size has run today, or nothing is recalled that would have to be checked.
    bool isBestChecked() const;
    NextTrial trialPlanOf(const Choice& choice) const;
    bool climbsForSpeed(const Choice& choice) const;
    trial::Purpose purposeOf(const Choice& choice) const;
    std::int64_t rivalOf(std::int64_t size) const;
    Proposal proposalFor(const Choice& choice) const;
    double abandonAbove(std::int64_t size) const;

    SearchState::Status status() const;
    /// Whether it is as sure as it will be for a price that anyone would pay.
    bool isOutOfReach() const;
    bool isTooFar() const;
    Recommendation recommendation(const std::optional<Choice>& next);
    Reason reason(const std::optional<Choice>& next) const;

    SearchSpace m_space;
    StoppingRule m_stoppingRule;
    CandidateSet m_candidates;
    TrialHistory m_history;
    MemoryModel m_memory;
    std::optional<Posterior> m_posterior;
    PosteriorSummary m_summary;
    TrialCost m_cost;
    SearchState m_searchState;
    /// The first size recommended, or the first one recalled, to which others are compared; 0 before it.
    std::int64_t m_baseSize = 0;
    bool m_isConfident = false;
    /// Of going on after the latest trial.
    std::optional<ContinuationEstimate> m_continuation;
    bool m_continues = false;
    std::vector<std::int64_t> m_inFlight;
    /// Of trials that a person did not want, left alone for some trials more.
    std::vector<std::int64_t> m_skipped;
    int m_skippedFor = 0;
    /// What the confidence rested on before the latest trial.
    std::optional<CalibrationCase> m_evidenceBefore;
    /// What is best beside the trials in flight, once it is planned: proposing it makes a new plan necessary.
    std::optional<Choice> m_next;
    bool m_isPlanned = false;
};

} // namespace batchpeak::search
