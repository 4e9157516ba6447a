// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ramp_strategy.h"

#include "confidence.h"
#include "judge.h"
#include "random_source.h"
#include "throughput.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

/// Passed once by this much, or twice by the target itself, the confidence is believed: single passages
/// pick lucky moments.
constexpr double convincingShare = 0.985;
constexpr int passagesNeeded = 2;
/// Before three sizes nothing can be told from the residuals of a line.
constexpr std::size_t fewestSizes = 3;

/// A trial is given up when even its fastest step is this much slower than the best size's.
constexpr double abandonMargin = 0.08;

/// Trials that bisection and comparison take after the ramp, in simulated searches on curves that are
/// neither smooth nor flat.
constexpr int trialsAfterRamp = 8;

MemoryModel initialMemory(const SearchSpace& space, const CandidateSet& candidates,
                          const TrialHistory& history)
{
    RandomSource random(space.seed);
    return {space, candidates, history, random};
}

} // namespace

RampStrategy::RampStrategy(const SearchSpace& space)
    : m_space(space),
      m_candidates(space),
      m_history(space.memoryLimitBytes),
      m_memory(initialMemory(m_space, m_candidates, m_history))
{
    updateOutlook();
}

void RampStrategy::record(const Measurement& measurement)
{
    if (const auto place = std::ranges::find(m_pending, measurement.size); place != m_pending.end())
        m_pending.erase(place);
    m_history.record(measurement);
    m_cost.record(m_history.all().back());
    RandomSource random(m_space.seed + m_history.all().size());
    m_memory = MemoryModel(m_space, m_candidates, m_history, random);
    m_judgement = judge(m_space, m_candidates, m_history, m_memory, random);
    const bool reached =
        m_history.goodSizes().size() >= fewestSizes && m_judgement.share >= m_space.targetConfidence;
    m_timesConfident = reached ? m_timesConfident + 1 : 0;
    updateOutlook();
}

std::optional<Proposal> RampStrategy::next(std::span<const std::int64_t> inFlight)
{
    m_pending.assign(inFlight.begin(), inFlight.end());
    const auto trials = static_cast<int>(m_history.all().size() + m_pending.size());
    if (m_outlook.status != Outlook::Status::Searching || trials >= m_space.maxTrials)
        return std::nullopt;
    const std::optional<RampPlanner::Step> step = plan(m_pending);
    if (!step) {
        updateOutlook();
        return std::nullopt;
    }
    m_pending.push_back(step->size);
    return proposal(*step);
}

std::optional<RampPlanner::Step> RampStrategy::plan(std::span<const std::int64_t> inFlight) const
{
    return RampPlanner({.candidates = m_candidates,
                        .history = m_history,
                        .memory = m_memory,
                        .judgement = m_judgement,
                        .inFlight = inFlight,
                        .tolerance = m_space.tolerance})
        .next();
}

Proposal RampStrategy::proposal(const RampPlanner::Step& step) const
{
    const double seconds = m_judgement.stepSecondsAt(step.size);
    const TrialCost::Length length = TrialCost::length(seconds, step.purpose == RampPlanner::Purpose::Repeat);
    Proposal proposal{.size = step.size,
                      .minSteps = length.minSteps,
                      .maxSteps = length.maxSteps,
                      .minSeconds = length.minSeconds,
                      .abandonAboveSeconds = abandonAbove(step.size),
                      .predictedFit = m_memory.probabilityOfFit(step.size)};
    if (seconds > 0.0)
        proposal.predictedWallSeconds = m_cost.predictedWallSeconds(seconds, length);
    return proposal;
}

double RampStrategy::abandonAbove(std::int64_t size) const
{
    const Judgement::MeasuredSize* best = m_judgement.find(m_judgement.best);
    if (!best || m_history.timedTrials(size) > 0)
        return 0.0;
    const Throughput throughput(m_space, m_judgement.optimizerSeconds);
    return throughput.secondsFor(size, best->samplesPerSecond * (1.0 - abandonMargin));
}

void RampStrategy::updateOutlook()
{
    const std::optional<RampPlanner::Step> step = plan(m_pending);
    updateStatus(step);
    const std::optional<RampPlanner::Step> toCome =
        m_outlook.status == Outlook::Status::Searching ? step : std::nullopt;

    m_outlook.curve = m_judgement.curve;
    m_outlook.memory = m_memory.line();
    m_outlook.largestPredictedFit = m_memory.largestPredictedFit();
    m_outlook.smallestFailure = m_history.smallestFailure();
    m_outlook.expectedTrials = expectedTrials(toCome);
    m_outlook.recommendation.reset();
    if (m_judgement.best > 0)
        m_outlook.recommendation = recommendation(toCome);
}

void RampStrategy::updateStatus(const std::optional<RampPlanner::Step>& step)
{
    using Status = Outlook::Status;
    const bool isConfident =
        m_timesConfident >= passagesNeeded || (m_timesConfident > 0 && m_judgement.share >= convincingShare);
    if (m_history.goodSizes().empty() && m_history.hasFailed(m_candidates.smallest()))
        m_outlook.status = Status::NothingFits;
    else if (isConfident)
        m_outlook.status = Status::Confident;
    else if (static_cast<int>(m_history.all().size()) >= m_space.maxTrials)
        m_outlook.status = Status::Budget;
    else if (!step && m_pending.empty())
        m_outlook.status = Status::Exhausted;
    else
        m_outlook.status = Status::Searching;
}

Recommendation RampStrategy::recommendation(const std::optional<RampPlanner::Step>& step)
{
    if (m_baseSize == 0)
        m_baseSize = m_judgement.best;
    const Judgement::MeasuredSize& best = *m_judgement.find(m_judgement.best);
    const Judgement::MeasuredSize* base = m_judgement.find(m_baseSize);
    return {.size = best.size,
            .samplesPerSecond = best.samplesPerSecond,
            .relativeError = best.relativeError,
            .relativePerformance = base ? best.samplesPerSecond / base->samplesPerSecond : 1.0,
            .confidence = confidencePercent(m_judgement.share),
            .reason = reason(step)};
}

Reason RampStrategy::reason(const std::optional<RampPlanner::Step>& step) const
{
    Reason reason{.next = step ? step->size : 0, .largestPredictedFit = m_memory.largestPredictedFit()};
    const Judgement::MeasuredSize& best = *m_judgement.find(m_judgement.best);
    double runnerUpSpeed = 0.0;
    for (const Judgement::MeasuredSize& size : m_judgement.measured) {
        if (size.size != best.size && size.samplesPerSecond > runnerUpSpeed) {
            runnerUpSpeed = size.samplesPerSecond;
            reason.runnerUp = size.size;
            reason.leadOverRunnerUp = best.samplesPerSecond / size.samplesPerSecond - 1.0;
        }
    }
    if (!m_judgement.rivals.empty()) {
        reason.rival = m_judgement.rivals.front().size;
        reason.rivalProbability = m_judgement.rivals.front().probability;
    }

    const std::optional<std::int64_t> above = m_candidates.above(best.size);
    const bool largerFits = above && m_memory.probabilityOfFit(*above) >= 0.5;
    if (step && step->purpose == RampPlanner::Purpose::Climb && step->size > best.size)
        reason.kind = Reason::Kind::Climbing;
    else if (step && m_history.goodSizes().size() < fewestSizes)
        reason.kind = Reason::Kind::TooEarly;
    else if (above && !largerFits)
        reason.kind = Reason::Kind::MemoryEnds;
    else if (!step && allTried())
        reason.kind = Reason::Kind::AllTried;
    else
        reason.kind = Reason::Kind::Compared;
    return reason;
}

bool RampStrategy::allTried() const
{
    for (std::optional<std::int64_t> size = m_candidates.smallest(); size; size = m_candidates.above(*size)) {
        if (m_memory.probabilityOfFit(*size) > 0.0 && m_history.timedTrials(*size) == 0)
            return false;
    }
    return true;
}

int RampStrategy::expectedTrials(const std::optional<RampPlanner::Step>& step) const
{
    const auto done = static_cast<int>(m_history.all().size());
    if (!step)
        return done;
    int remaining = trialsAfterRamp;
    if (step->purpose == RampPlanner::Purpose::Climb) {
        const std::int64_t limit = std::max(m_memory.largestWithFit(0.5), step->size);
        remaining +=
            static_cast<int>(std::log2(static_cast<double>(limit) / static_cast<double>(step->size)));
    } else {
        // A gap beside the best is halved in each trial, and so is about what speaks against it.
        const double doubt = (1.0 - m_judgement.share) / std::max(1.0 - m_space.targetConfidence, 0.01);
        remaining = 1 + static_cast<int>(std::ceil(2.0 * std::log2(std::max(doubt, 1.0))));
    }
    return std::min(done + remaining, m_space.maxTrials);
}

} // namespace batchpeak::search
