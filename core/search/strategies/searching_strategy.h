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

/// The common part of all searches: they keep the trials, learn memory and step times from them, report their
/// state, and end when the confidence is reached or nothing is left to try.
///
/// A subclass only decides which size is tried next. Posterior and MemoryModel state what is known, and
/// summarize() how certain it is.
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

    /// What remains possible after the trials so far, also for code that fits the calibration of its shares;
    /// nothing before a trial was timed.
    const std::optional<Posterior>& posterior() const { return m_posterior; }
    const PosteriorSummary& summary() const { return m_summary; }
    /// Returns the inputs of the forecast, also for code that fits its weights.
    ForecastCase forecastCase() const;

protected:
    struct Choice
    {
        std::int64_t size = 1;
        TrialCost::Length length;
        /// Whether the trial goes toward larger sizes that are likely to be faster.
        bool isClimbing = false;
        /// Whether the trial is to find where memory ends, whether or not the size may be the answer.
        bool probesMemory = false;
        /// As in Proposal.
        std::vector<std::int64_t> comparedSizes;
        int visits = 0;
        int stepsPerVisit = 0;
    };
    enum class StoppingRule {
        /// The search ends once it reaches the requested confidence, or else when no size is left to try.
        Confident,
        /// The search ends when no size is left to try, however high the confidence is by then.
        Exhausted
    };

    /// \throws std::invalid_argument if the space allows no size
    SearchingStrategy(const SearchSpace& space, StoppingRule stoppingRule);

    /// Calls choose() for the next trial and updates the search state. A subclass calls it at the end of its
    /// constructor, since choose() cannot be called earlier.
    void plan();

    const SearchSpace& space() const { return m_space; }
    const CandidateSet& candidates() const { return m_candidates; }
    const TrialHistory& history() const { return m_history; }
    const MemoryModel& memory() const { return m_memory; }
    const TrialCost& cost() const { return m_cost; }
    /// Sizes that were proposed and not yet recorded, as of the last call of next().
    const std::vector<std::int64_t>& inFlight() const { return m_inFlight; }
    TrialSafety safety() const { return TrialSafety(situation()); }
    BoundaryProbe boundaryProbe() const { return BoundaryProbe(situation(), m_summary); }

    /// Returns the time of all trials, including recalled ones [s].
    double secondsSoFar() const;
    /// Whether the search was asked to continue after it had ended: then no trial is worth too little.
    bool continues() const { return m_continues; }

    /// Implements recall() for a strategy whose trials follow from what is known.
    void learnFromEarlier(std::span<const Measurement> measurements);
    /// Returns the recommended size if trials are recalled and it has not yet run in this search; 0 if none
    /// needs a check.
    std::int64_t recalledToCheck() const;
    /// Returns where an upward search begins: at the smallest allowed size, or above it if that size does not
    /// run, whatever the memory.
    std::int64_t firstSize() const;
    /// Returns whether every allowed size that may fit was timed or is given up.
    bool allTried() const;
    /// Returns whether a trial of this size goes beyond those that ran because the largest good size is the
    /// best so far.
    bool climbsTo(std::int64_t size) const;
    /// Returns the default trial of a size that was not measured yet.
    Choice trialOf(std::int64_t size) const;

    /// Returns the forecast of this number of trials of the default length, to a factor of two.
    Forecast forecastOfTrials(int trials) const;
    /// Returns the forecast without what lies beyond this number of trials.
    static Forecast atMost(Forecast forecast, int maxTrials);
    /// Returns the number of trials until the search ends because its rivals are out of reach, judged by the
    /// present state; that of the whole search if they are not.
    int trialsBeforeOutOfReach() const;
    /// Returns the number of trials needed to lower the doubt about the recommendation to what the target
    /// allows, if each \p trialsPerHalving of them halve the doubt.
    int trialsUntilConfident(double trialsPerHalving) const;

private:
    /// Returns nothing if no size is worth a trial, or none before one in flight has ended.
    virtual std::optional<Choice> choose() const = 0;
    /// Forecasts the trials still to come, including the next one.
    virtual Forecast forecast(const std::optional<Choice>& next) const = 0;

    TrialSafety::Situation situation() const
    {
        return {m_candidates, m_history, m_memory, m_inFlight, m_skipped};
    }
    /// Returns what comes before anything that a subclass would try: a size in doubt.
    std::optional<Choice> nextChoice() const;
    std::optional<Choice> trialInDoubt() const;
    std::optional<std::int64_t> decidingSize(std::int64_t odd) const;
    void learn(const std::optional<CalibrationCase>& before);
    /// Limits the forecast to the trials that may still run.
    Forecast withinBudget(Forecast forecast) const;
    void forgetRecalled();
    void judgeConfidence();
    bool isRefused(std::int64_t size) const;
    /// Whether the recommended size has run in this search, or no recalled trial needs to be checked.
    bool isBestChecked() const;
    NextTrial trialPlanOf(const Choice& choice) const;
    bool climbsForSpeed(const Choice& choice) const;
    trial::Purpose purposeOf(const Choice& choice) const;
    std::int64_t rivalOf(std::int64_t size) const;
    Proposal proposalFor(const Choice& choice) const;
    double abandonAbove(std::int64_t size) const;

    SearchState::Status status() const;
    /// Whether the confidence is as high as it will get for an acceptable price.
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
    /// The first size recommended, or the first one recalled, to which others are compared; 0 before there is
    /// one.
    std::int64_t m_baseSize = 0;
    bool m_isConfident = false;
    /// Estimate of continuing after the latest trial.
    std::optional<ContinuationEstimate> m_continuation;
    bool m_continues = false;
    std::vector<std::int64_t> m_inFlight;
    /// Sizes of trials that a person did not want; they are left alone for a few more trials.
    std::vector<std::int64_t> m_skipped;
    int m_skippedFor = 0;
    /// The evidence for the confidence before the latest trial.
    std::optional<CalibrationCase> m_evidenceBefore;
    /// The best trial beside those in flight, once it is planned. Proposing it makes a new plan necessary.
    std::optional<Choice> m_next;
    bool m_isPlanned = false;
};

} // namespace batchpeak::search
