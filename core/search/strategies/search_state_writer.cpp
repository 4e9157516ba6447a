// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_state_writer.h"

#include "candidate_set.h"
#include "confidence.h"
#include "judgement.h"
#include "memory/memory_model.h"
#include "trial_history.h"

#include <algorithm>

namespace batchpeak::search {

namespace {

/// Passed once by this much, or twice by the target itself, the confidence is believed: single passages
/// pick lucky moments.
constexpr double convincingProbability = 0.985;
constexpr int passagesNeeded = 2;
/// Fewer sizes say nothing about the curve between them.
constexpr std::size_t fewestSizes = 3;
constexpr double likelyFit = 0.5;

} // namespace

SearchStateWriter::SearchStateWriter(const SearchSpace& space)
    : m_maxTrials(space.maxTrials), m_targetConfidence(space.targetConfidence)
{}

void SearchStateWriter::noteConfidence(const Knowledge& knowledge)
{
    const bool knowsEnough = knowledge.history.goodSizes().size() >= fewestSizes ||
                             allTried(knowledge.candidates, knowledge.history, knowledge.memory);
    const bool reached = knowsEnough && knowledge.judgement.probability >= m_targetConfidence;
    m_timesConfident = reached ? m_timesConfident + 1 : 0;
}

SearchState SearchStateWriter::write(const Knowledge& knowledge, const Plan& plan)
{
    const int done = knowledge.history.countedTrials();
    SearchState searchState{.status = status(knowledge, plan),
                            .curve = knowledge.judgement.curve,
                            .memory = knowledge.memory.line(),
                            .allocatedMemory = knowledge.memory.allocatedLine(),
                            .largestPredictedFit = knowledge.memory.largestPredictedFit(),
                            .smallestFailure = knowledge.history.smallestFailure(),
                            .expectedTrials = done,
                            .speedLimit = knowledge.judgement.speedLimit};
    const bool hasEnded = searchState.status != SearchState::Status::Searching;
    if (!hasEnded)
        searchState.expectedTrials = std::min(done + plan.remainingTrials, m_maxTrials);
    if (knowledge.judgement.best > 0)
        searchState.recommendation = recommendation(knowledge, hasEnded ? Plan{} : plan);
    return searchState;
}

SearchState::Status SearchStateWriter::status(const Knowledge& knowledge, const Plan& plan) const
{
    using Status = SearchState::Status;
    const bool isConfident =
        m_timesConfident >= passagesNeeded ||
        (m_timesConfident > 0 && knowledge.judgement.probability >= convincingProbability);
    if (knowledge.history.goodSizes().empty() && knowledge.history.hasFailed(knowledge.candidates.smallest()))
        return Status::NothingFits;
    if (isConfident)
        return Status::Confident;
    if (knowledge.history.countedTrials() >= m_maxTrials)
        return Status::Budget;
    return plan.next || plan.hasInFlight ? Status::Searching : Status::Exhausted;
}

Recommendation SearchStateWriter::recommendation(const Knowledge& knowledge, const Plan& plan)
{
    const Judgement& judgement = knowledge.judgement;
    if (m_baseSize == 0)
        m_baseSize = judgement.best;
    const Judgement::MeasuredSize& best = *judgement.find(judgement.best);
    const Judgement::MeasuredSize* base = judgement.find(m_baseSize);
    return {.size = best.size,
            .samplesPerSecond = best.samplesPerSecond,
            .relativeError = best.relativeError,
            .relativePerformance = base ? best.samplesPerSecond / base->samplesPerSecond : 1.0,
            .confidence = confidencePercent(judgement.probability),
            .reason = reason(knowledge, plan),
            .smallestWithinTolerance = judgement.smallestWithinTolerance};
}

Reason SearchStateWriter::reason(const Knowledge& knowledge, const Plan& plan)
{
    const Judgement& judgement = knowledge.judgement;
    Reason reason{.next = plan.next.value_or(0),
                  .largestPredictedFit = knowledge.memory.largestPredictedFit(),
                  .instability = judgement.instability};
    const Judgement::MeasuredSize& best = *judgement.find(judgement.best);
    double runnerUpSpeed = 0.0;
    for (const Judgement::MeasuredSize& size : judgement.measured) {
        if (size.size != best.size && size.samplesPerSecond > runnerUpSpeed) {
            runnerUpSpeed = size.samplesPerSecond;
            reason.runnerUp = size.size;
            reason.leadOverRunnerUp = best.samplesPerSecond / size.samplesPerSecond - 1.0;
        }
    }
    if (!judgement.rivals.empty()) {
        reason.rival = judgement.rivals.front().size;
        reason.rivalProbability = judgement.rivals.front().probability;
    }

    const std::optional<std::int64_t> above = knowledge.candidates.above(best.size);
    const bool largerFits = above && knowledge.memory.probabilityOfFit(*above) >= likelyFit;
    if (plan.isClimbing && plan.next && *plan.next > best.size)
        reason.kind = Reason::Kind::Climbing;
    else if (plan.next && knowledge.history.goodSizes().size() < fewestSizes)
        reason.kind = Reason::Kind::TooEarly;
    else if (above && !largerFits)
        reason.kind = Reason::Kind::MemoryEnds;
    else if (!plan.next && allTried(knowledge.candidates, knowledge.history, knowledge.memory))
        reason.kind = Reason::Kind::AllTried;
    else
        reason.kind = Reason::Kind::Compared;
    return reason;
}

bool allTried(const CandidateSet& candidates, const TrialHistory& history, const MemoryModel& memory)
{
    for (std::optional<std::int64_t> size = candidates.smallest(); size; size = candidates.above(*size)) {
        if (memory.probabilityOfFit(*size) > 0.0 && history.timedTrials(*size) == 0)
            return false;
    }
    return true;
}

} // namespace batchpeak::search
