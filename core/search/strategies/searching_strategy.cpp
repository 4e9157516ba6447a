// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "searching_strategy.h"

#include "judge.h"
#include "random_source.h"
#include "throughput.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

// A trial is given up when even its fastest step is slower than the best size by this share and by so many
// deviations of a step.
constexpr double abandonShare = 0.05;
constexpr double abandonNoises = 3.0;
constexpr double mostAbandonShare = 0.5;

constexpr double leastInstabilityAccepted = 0.01;

MemoryModel initialMemory(const SearchSpace& space, const CandidateSet& candidates,
                          const TrialHistory& history)
{
    RandomSource random(space.seed);
    return {space, candidates, history, random};
}

} // namespace

SearchingStrategy::SearchingStrategy(const SearchSpace& space, Ending ending)
    : m_space(space),
      m_ending(ending),
      m_candidates(space),
      m_history(space.memoryLimitBytes),
      m_memory(initialMemory(m_space, m_candidates, m_history)),
      m_writer(space)
{}

void SearchingStrategy::record(const Measurement& measurement)
{
    if (const auto place = std::ranges::find(m_inFlight, measurement.size); place != m_inFlight.end())
        m_inFlight.erase(place);
    m_history.record(measurement);
    m_cost.record(m_history.all().back());
    RandomSource random(m_space.seed + m_history.all().size());
    m_memory = MemoryModel(m_space, m_candidates, m_history, random);
    if (!m_history.timed().empty()) {
        m_posterior.emplace(m_space, m_candidates, m_history, m_memory, random);
        m_judgement = judge(m_space, *m_posterior, m_history, m_memory);
    }
    if (m_ending == Ending::WhenConfident)
        m_writer.noteConfidence({m_candidates, m_history, m_memory, m_judgement});
    plan();
}

std::optional<Proposal> SearchingStrategy::next(std::span<const std::int64_t> inFlight)
{
    if (!m_isPlanned || !std::ranges::equal(m_inFlight, inFlight)) {
        m_inFlight.assign(inFlight.begin(), inFlight.end());
        plan();
    }
    const int trials = m_history.countedTrials() + static_cast<int>(m_inFlight.size());
    if (m_searchState.status != SearchState::Status::Searching || trials >= m_space.maxTrials || !m_next)
        return std::nullopt;
    m_inFlight.push_back(m_next->size);
    m_isPlanned = false;
    return proposalFor(*m_next);
}

void SearchingStrategy::plan()
{
    m_next = choose();
    m_isPlanned = true;
    SearchStateWriter::Plan plan{.hasInFlight = !m_inFlight.empty(),
                                 .remainingTrials = remainingTrials(m_next)};
    if (m_next) {
        plan.next = m_next->size;
        plan.isClimbing = m_next->isClimbing;
    }
    m_searchState = m_writer.write({m_candidates, m_history, m_memory, m_judgement}, plan);
}

bool SearchingStrategy::climbsTo(std::int64_t size) const
{
    return size > m_history.largestRun() && m_judgement.best == m_history.largestGood();
}

SearchingStrategy::Choice SearchingStrategy::trialOf(std::int64_t size) const
{
    return {.size = size,
            .length = TrialCost::length(m_judgement.stepSecondsAt(size), false),
            .isClimbing = climbsTo(size)};
}

int SearchingStrategy::trialsUntilConfident(double trialsPerHalving) const
{
    const double accepted = std::max(1.0 - m_space.targetConfidence, leastInstabilityAccepted);
    const double doubt = (1.0 - m_judgement.probability) / accepted;
    return 1 + static_cast<int>(std::ceil(trialsPerHalving * std::log2(std::max(doubt, 1.0))));
}

Proposal SearchingStrategy::proposalFor(const Choice& choice) const
{
    Proposal proposal{.size = choice.size,
                      .minSteps = choice.length.minSteps,
                      .maxSteps = choice.length.maxSteps,
                      .minSeconds = choice.length.minSeconds,
                      .abandonAboveSeconds = abandonAbove(choice.size),
                      .predictedFit = safety().predictedFit(choice.size)};
    if (const double seconds = m_judgement.stepSecondsAt(choice.size); seconds > 0.0)
        proposal.predictedWallSeconds = m_cost.predictedWallSeconds(seconds, choice.length);
    return proposal;
}

double SearchingStrategy::abandonAbove(std::int64_t size) const
{
    const Judgement::MeasuredSize* best = m_judgement.find(m_judgement.best);
    if (!best || m_history.timedTrials(size) > 0)
        return 0.0;
    const Throughput throughput(m_space, m_judgement.optimizerSeconds);
    const double seconds = throughput.secondsFor(size, best->samplesPerSecond);
    if (seconds <= 0.0)
        return 0.0;
    const double margin = abandonShare + abandonNoises * m_posterior->trials().noise.pooledAt(seconds);
    return throughput.secondsFor(size, best->samplesPerSecond * (1.0 - std::min(margin, mostAbandonShare)));
}

} // namespace batchpeak::search
