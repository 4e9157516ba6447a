// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <cstdint>
#include <optional>

namespace batchpeak::search {

class CandidateSet;
class MemoryModel;
class TrialHistory;
struct Judgement;

/// Tells the outside how a search stands: its status, the recommendation and the numbers why.
///
/// It decides when a confidence is to be believed and so when a search has ended. Which trial comes next is
/// the strategy's decision.
class SearchStateWriter
{
public:
    struct Knowledge
    {
        const CandidateSet& candidates;
        const TrialHistory& history;
        const MemoryModel& memory;
        const Judgement& judgement;
    };
    struct Plan
    {
        /// Nothing where no size is worth a trial, or none before one in flight has ended.
        std::optional<std::int64_t> next;
        /// Towards larger sizes that are likely to be faster.
        bool isClimbing = false;
        bool hasInFlight = false;
        /// Trials still to come, the next one among them.
        int remainingTrials = 0;
    };

    explicit SearchStateWriter(const SearchSpace& space);

    /// To be told once of the judgement after each trial.
    void noteConfidence(const Knowledge& knowledge);

    SearchState write(const Knowledge& knowledge, const Plan& plan);

private:
    SearchState::Status status(const Knowledge& knowledge, const Plan& plan) const;
    Recommendation recommendation(const Knowledge& knowledge, const Plan& plan);
    static Reason reason(const Knowledge& knowledge, const Plan& plan);

    int m_maxTrials;
    double m_targetConfidence;
    /// The first size recommended, to which others are compared.
    std::int64_t m_baseSize = 0;
    /// Recommendations in a row that reached the target.
    int m_timesConfident = 0;
};

/// Whether every allowed size that may fit was timed.
bool allTried(const CandidateSet& candidates, const TrialHistory& history, const MemoryModel& memory);

} // namespace batchpeak::search
