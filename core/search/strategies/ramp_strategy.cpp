// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ramp_strategy.h"

#include "judge.h"
#include "posterior.h"
#include "random_source.h"
#include "throughput.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

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
      m_memory(initialMemory(m_space, m_candidates, m_history)),
      m_writer(space)
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
    m_judgement = {};
    if (!m_history.timed().empty()) {
        const Posterior posterior(m_space, m_candidates, m_history, m_memory, random);
        m_judgement = judge(m_space, posterior, m_history, m_memory);
    }
    m_writer.noteConfidence({m_candidates, m_history, m_memory, m_judgement});
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
    OutlookWriter::Plan plan{.hasInFlight = !m_pending.empty()};
    if (step) {
        plan.next = step->size;
        plan.isClimbing = step->purpose == RampPlanner::Purpose::Climb;
        plan.remainingTrials = remainingTrials(*step);
    }
    m_outlook = m_writer.write({m_candidates, m_history, m_memory, m_judgement}, plan);
}

int RampStrategy::remainingTrials(const RampPlanner::Step& step) const
{
    if (step.purpose == RampPlanner::Purpose::Climb) {
        const std::int64_t limit = std::max(m_memory.largestWithFit(0.5), step.size);
        return trialsAfterRamp +
               static_cast<int>(std::log2(static_cast<double>(limit) / static_cast<double>(step.size)));
    }
    // A gap beside the best is halved in each trial, and so is about what speaks against it.
    const double doubt = (1.0 - m_judgement.probability) / std::max(1.0 - m_space.targetConfidence, 0.01);
    return 1 + static_cast<int>(std::ceil(2.0 * std::log2(std::max(doubt, 1.0))));
}

} // namespace batchpeak::search
