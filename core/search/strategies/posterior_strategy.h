// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "candidate_set.h"
#include "judgement.h"
#include "knowledge_gradient.h"
#include "memory_model.h"
#include "outlook_writer.h"
#include "posterior.h"
#include "strategy.h"
#include "trial_cost.h"
#include "trial_history.h"

#include <optional>
#include <vector>

namespace batchpeak::search {

/// Probes at 1, 8 and 64, then always the trial that is worth its time most, until the recommended size is
/// good enough with the confidence asked for.
///
/// It decides which sizes may be tried. What is known comes from Posterior and MemoryModel, what a trial is
/// worth from KnowledgeGradient, and whether the search has ended from OutlookWriter.
class PosteriorStrategy final : public Strategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit PosteriorStrategy(const SearchSpace& space);

    void record(const Measurement& measurement) override;
    std::optional<Proposal> next(std::span<const std::int64_t> inFlight) override;
    const Outlook& outlook() const override { return m_outlook; }

    /// What the trials so far leave possible, for those who fit the calibration of its shares; nothing before
    /// a trial was timed.
    const std::optional<Posterior>& posterior() const { return m_posterior; }

private:
    using Choice = KnowledgeGradient::Choice;

    void plan();
    std::optional<Choice> chooseNext() const;
    std::optional<std::int64_t> probe() const;
    std::optional<Choice> chooseByGain() const;
    std::optional<std::int64_t> nextDoubtful() const;
    bool isSafe(std::int64_t size) const;
    bool isUsable(std::int64_t size) const;
    Proposal proposalFor(const Choice& choice) const;
    double abandonAbove(std::int64_t size) const;
    int remainingTrials() const;

    SearchSpace m_space;
    CandidateSet m_candidates;
    TrialHistory m_history;
    MemoryModel m_memory;
    std::optional<Posterior> m_posterior;
    Judgement m_judgement;
    TrialCost m_cost;
    OutlookWriter m_writer;
    Outlook m_outlook;
    /// Proposed and not yet recorded, as far as the last call of next() knew.
    std::vector<std::int64_t> m_pending;
    /// What is best beside those, once it is planned: proposing it makes a new plan necessary.
    std::optional<Choice> m_next;
    bool m_isPlanned = false;
};

} // namespace batchpeak::search
