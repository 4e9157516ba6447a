// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "posterior_strategy.h"

#include "judge.h"
#include "random_source.h"
#include "throughput.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

constexpr std::int64_t probeFactor = 8;
constexpr std::size_t probes = 3;
constexpr double probeFit = 0.95;
/// The first trial's whole memory above the baseline is taken for one sample's, and this part of the limit
/// may be used.
constexpr double firstProbeShare = 0.97;

// How probable a fit must be: at first, once a size has failed, and beside a larger one in flight. Found on
// simulated memory curves to keep failures at three in a hundred searches.
constexpr double demandedAtFirst = 0.8;
constexpr double demandedAfterFailure = 0.97;
constexpr double demandedBesideUnknown = 0.985;
/// Where a list of sizes leaves nothing else to learn, an even chance will do, but not twice.
constexpr double demandedAtLast = 0.5;
/// A line through small sizes is not trusted further up than this.
constexpr std::int64_t farthestRatio = 16;
/// A void trial says nothing, and a second one in a row would not either.
constexpr int voidTrialsAllowed = 1;
/// Where every size is known, no size is measured more often.
constexpr int repeatsAllowed = 5;

// A trial is given up when even its fastest step is slower than the best size by this share and by so many
// deviations of a step.
constexpr double abandonShare = 0.05;
constexpr double abandonNoises = 3.0;
constexpr double mostAbandonShare = 0.5;

/// Trials that it takes to halve what speaks against the recommendation, on simulated devices.
constexpr double trialsPerHalving = 4.0;

/// Any odd number will do that keeps the draws of updates and of choices apart.
constexpr std::uint64_t choiceSeedStep = 7919;

MemoryModel initialMemory(const SearchSpace& space, const CandidateSet& candidates,
                          const TrialHistory& history)
{
    RandomSource random(space.seed);
    return {space, candidates, history, random};
}

} // namespace

PosteriorStrategy::PosteriorStrategy(const SearchSpace& space)
    : m_space(space),
      m_candidates(space),
      m_history(space.memoryLimitBytes),
      m_memory(initialMemory(m_space, m_candidates, m_history)),
      m_writer(space)
{
    plan();
}

void PosteriorStrategy::record(const Measurement& measurement)
{
    if (const auto place = std::ranges::find(m_pending, measurement.size); place != m_pending.end())
        m_pending.erase(place);
    m_history.record(measurement);
    m_cost.record(m_history.all().back());
    RandomSource random(m_space.seed + m_history.all().size());
    m_memory = MemoryModel(m_space, m_candidates, m_history, random);
    if (!m_history.timed().empty()) {
        m_posterior.emplace(m_space, m_candidates, m_history, m_memory, random);
        m_judgement = judge(m_space, *m_posterior, m_history, m_memory);
    }
    m_writer.noteConfidence({m_candidates, m_history, m_memory, m_judgement});
    plan();
}

std::optional<Proposal> PosteriorStrategy::next(std::span<const std::int64_t> inFlight)
{
    if (!m_isPlanned || !std::ranges::equal(m_pending, inFlight)) {
        m_pending.assign(inFlight.begin(), inFlight.end());
        plan();
    }
    const auto trials = static_cast<int>(m_history.all().size() + m_pending.size());
    if (m_outlook.status != Outlook::Status::Searching || trials >= m_space.maxTrials || !m_next)
        return std::nullopt;
    m_pending.push_back(m_next->size);
    m_isPlanned = false;
    return proposalFor(*m_next);
}

void PosteriorStrategy::plan()
{
    m_next = chooseNext();
    m_isPlanned = true;
    OutlookWriter::Plan plan{.hasInFlight = !m_pending.empty(), .remainingTrials = remainingTrials()};
    if (m_next) {
        plan.next = m_next->size;
        plan.isClimbing =
            m_next->size > m_history.largestRun() && m_judgement.best == m_history.largestGood();
    }
    m_outlook = m_writer.write({m_candidates, m_history, m_memory, m_judgement}, plan);
}

std::optional<PosteriorStrategy::Choice> PosteriorStrategy::chooseNext() const
{
    if (m_history.goodSizes().size() < probes) {
        // The first sizes are worth most one after another: each bounds the next.
        if (!m_pending.empty())
            return std::nullopt;
        if (const auto size = probe())
            return Choice{.size = *size};
    }
    return chooseByGain();
}

std::optional<std::int64_t> PosteriorStrategy::probe() const
{
    if (m_history.goodSizes().empty()) {
        const std::int64_t first = m_candidates.smallest();
        return isUsable(first) ? std::optional(first) : std::nullopt;
    }
    const std::int64_t last = m_history.largestGood();
    std::int64_t wanted = probeFactor * last;
    if (m_history.timed().size() == 1 && m_space.memoryLimitBytes > 0) {
        const Measurement& first = m_history.timed().front();
        const auto limit = firstProbeShare * static_cast<double>(m_space.memoryLimitBytes);
        const auto held = static_cast<double>(m_space.baselineBytes);
        const double perSample =
            (static_cast<double>(first.peakReservedBytes) - held) / static_cast<double>(last);
        if (perSample > 0.0) {
            const double room = std::clamp((limit - held) / perSample, static_cast<double>(last + 1),
                                           static_cast<double>(wanted));
            wanted = static_cast<std::int64_t>(room);
        }
    } else {
        wanted = std::min(wanted, std::max(last + 1, m_memory.largestWithFit(probeFit)));
    }
    const std::optional<std::int64_t> size = m_candidates.atMost(wanted);
    if (!size || m_history.timedTrials(*size) > 0 || !isUsable(*size) || !isSafe(*size))
        return std::nullopt;
    return size;
}

std::optional<PosteriorStrategy::Choice> PosteriorStrategy::chooseByGain() const
{
    if (!m_posterior || m_posterior->recommended() == 0)
        return std::nullopt;
    RandomSource random(m_space.seed + choiceSeedStep * (m_history.all().size() + 1) + m_pending.size());
    Posterior believed = *m_posterior;
    believed.believe(m_pending, random);
    const KnowledgeGradient gradient(believed, m_cost, static_cast<int>(m_history.all().size()), random);

    std::vector<std::int64_t> sizes = gradient.candidates(m_memory, m_history.largestRun());
    // A sparse list may have its next size far above.
    const std::optional<std::int64_t> above = m_candidates.above(m_history.largestGood());
    if (above && *above > farthestRatio * m_history.largestRun() && m_posterior->contains(*above))
        sizes.push_back(*above);
    std::erase_if(sizes, [this](std::int64_t size) {
        return !isUsable(size) || !isSafe(size) || std::ranges::find(m_pending, size) != m_pending.end();
    });

    // Beside trials in flight the best finished size is the one to measure again.
    Choice choice{.size = m_posterior->recommended()};
    if (!sizes.empty())
        choice = gradient.best(sizes);
    else if (!isUsable(choice.size))
        return std::nullopt;
    if (m_history.timedTrials(choice.size) >= 2) {
        if (const auto doubtful = nextDoubtful())
            return Choice{.size = *doubtful};
    }
    if (m_history.timedTrials(choice.size) > repeatsAllowed && allTried(m_candidates, m_history, m_memory))
        return std::nullopt;
    return choice;
}

std::optional<std::int64_t> PosteriorStrategy::nextDoubtful() const
{
    if (m_space.candidates.empty() || m_history.failures() > 0 || !m_pending.empty())
        return std::nullopt;
    const std::optional<std::int64_t> above = m_candidates.above(m_history.largestGood());
    if (!above || !isUsable(*above) || isSafe(*above) || m_memory.probabilityOfFit(*above) < demandedAtLast)
        return std::nullopt;
    return above;
}

bool PosteriorStrategy::isUsable(std::int64_t size) const
{
    return !m_history.hasFailed(size) && m_history.voidTrials(size) <= voidTrialsAllowed;
}

bool PosteriorStrategy::isSafe(std::int64_t size) const
{
    if (m_history.isGood(size))
        return true;
    const std::int64_t verified = m_history.largestRun();
    const bool isNext = m_candidates.above(m_history.largestGood()) == size;
    if (verified > 0 && size > farthestRatio * verified && !isNext)
        return false;
    double demanded = m_history.failures() > 0 ? demandedAfterFailure : demandedAtFirst;
    const bool isBesideUnknown =
        std::ranges::any_of(m_pending, [&](std::int64_t other) { return other > verified; });
    if (isBesideUnknown && size > verified)
        demanded = demandedBesideUnknown;
    return m_memory.probabilityOfFit(size) >= demanded;
}

Proposal PosteriorStrategy::proposalFor(const Choice& choice) const
{
    const double seconds = m_judgement.stepSecondsAt(choice.size);
    const TrialCost::Length steps = KnowledgeGradient::stepsOf(choice.length, seconds);
    Proposal proposal{.size = choice.size,
                      .minSteps = steps.minSteps,
                      .maxSteps = steps.maxSteps,
                      .minSeconds = steps.minSeconds,
                      .abandonAboveSeconds = abandonAbove(choice.size),
                      .predictedFit = m_memory.probabilityOfFit(choice.size)};
    if (seconds > 0.0)
        proposal.predictedWallSeconds = m_cost.predictedWallSeconds(seconds, steps);
    return proposal;
}

double PosteriorStrategy::abandonAbove(std::int64_t size) const
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

int PosteriorStrategy::remainingTrials() const
{
    const double doubt = (1.0 - m_judgement.probability) / std::max(1.0 - m_space.targetConfidence, 0.01);
    return 1 + static_cast<int>(std::ceil(trialsPerHalving * std::log2(std::max(doubt, 1.0))));
}

} // namespace batchpeak::search
