// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "candidate_set.h"
#include "judgement.h"
#include "memory_model.h"
#include "outlook_writer.h"
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
/// What is known comes from the posterior and the memory model, the order of the sizes from RampPlanner, and
/// whether the search has ended from OutlookWriter.
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
    int remainingTrials(const RampPlanner::Step& step) const;

    SearchSpace m_space;
    CandidateSet m_candidates;
    TrialHistory m_history;
    MemoryModel m_memory;
    Judgement m_judgement;
    TrialCost m_cost;
    OutlookWriter m_writer;
    Outlook m_outlook;
    /// Proposed and not yet recorded, as far as the last call of next() knew.
    std::vector<std::int64_t> m_pending;
};

} // namespace batchpeak::search
