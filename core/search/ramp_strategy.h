// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "candidate_set.h"
#include "judgement.h"
#include "memory_model.h"
#include "ramp_planner.h"
#include "strategy.h"
#include "trial_cost.h"
#include "trial_history.h"

#include <optional>
#include <vector>

namespace batchpeak::search {

/// Powers of two until memory or throughput ends, then bisection around the best, then what may still
/// beat it, until the confidence is high enough.
///
/// It decides when a search has ended. What is known comes from the models and the judgement, the order
/// of the sizes from RampPlanner.
class RampStrategy final : public Strategy
{
public:
    /// \throws std::invalid_argument where the space allows no size
    explicit RampStrategy(const SearchSpace& space);

    void record(const Measurement& measurement) override;
    std::optional<Proposal> next(std::span<const std::int64_t> inFlight) override;
    const Outlook& outlook() const override { return m_outlook; }

private:
    std::optional<RampPlanner::Step> plan(std::span<const std::int64_t> inFlight) const;
    Proposal proposal(const RampPlanner::Step& step) const;
    double abandonAbove(std::int64_t size) const;

    void updateOutlook();
    void updateStatus(const std::optional<RampPlanner::Step>& step);
    Recommendation recommendation(const std::optional<RampPlanner::Step>& step);
    Reason reason(const std::optional<RampPlanner::Step>& step) const;
    bool allTried() const;
    int expectedTrials(const std::optional<RampPlanner::Step>& step) const;

    SearchSpace m_space;
    CandidateSet m_candidates;
    TrialHistory m_history;
    MemoryModel m_memory;
    Judgement m_judgement;
    TrialCost m_cost;
    Outlook m_outlook;
    /// Proposed and not yet recorded, as far as the last call of next() knew.
    std::vector<std::int64_t> m_pending;
    /// The first size recommended, to which others are compared.
    std::int64_t m_baseSize = 0;
    /// Recommendations in a row that reached the target.
    int m_timesConfident = 0;
};

} // namespace batchpeak::search
