// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_safety.h"

#include "candidate_set.h"
#include "memory/memory_model.h"
#include "posterior_summary.h"
#include "trial_history.h"

#include <algorithm>

namespace batchpeak::search {

namespace {

/// Probability of a fit that is required. A search takes two or three steps with such a risk beyond what ran,
/// so that hardly one search in a hundred runs out of memory.
constexpr double demandedFit = 0.995;

/// If programs report no peaks, only this bounds a step beyond what ran.
constexpr std::int64_t farthestRatio = 16;

/// Probability of a fit that is required of a size on the way, which is there to learn and not to fail: at
/// first, and once a size has run out of memory.
constexpr double probeFit = 0.9;
constexpr double probeFitAfterFailure = 0.97;
/// A size closer than this to what ran tells nothing new.
constexpr double minProbeRatio = 1.02;
/// A single size says next to nothing about the slope, and its neighbor would almost always fit.
constexpr double secondSizeFit = 0.1;
constexpr double evenOdds = 0.5;
/// A rival less probable than the first is worth no risk, and one less probable than the second no trial.
constexpr double minGainProbability = 0.02;
constexpr double minRivalProbability = 0.01;

} // namespace

TrialSafety::TrialSafety(const Situation& situation)
    : m_situation(situation),
      m_largestRun(situation.history.largestRun()),
      m_isBesideUnknown(std::ranges::any_of(
          situation.inFlight, [&](std::int64_t size) { return size > situation.history.largestRun(); }))
{}

bool TrialSafety::isUsable(std::int64_t size) const
{
    return !m_situation.history.hasFailed(size) && !m_situation.history.isGivenUp(size) &&
           !m_situation.candidates.isExcluded(size) &&
           std::ranges::find(m_situation.skipped, size) == m_situation.skipped.end();
}

bool TrialSafety::isInFlight(std::int64_t size) const
{
    return std::ranges::find(m_situation.inFlight, size) != m_situation.inFlight.end();
}

bool TrialSafety::isSafe(std::int64_t size) const
{
    const std::int64_t failure = m_situation.history.smallestFailure();
    if (m_situation.history.hasFailed(size) || (failure > 0 && size >= failure))
        return false;
    if (size <= m_largestRun)
        return true;
    const bool isNext = m_situation.candidates.above(m_largestRun) == size;
    if (m_largestRun > 0 && size > farthestRatio * m_largestRun && !isNext)
        return false;
    return m_situation.memory.probabilityOfFit(size) >= demandedFit;
}

bool TrialSafety::mayBeTried(std::int64_t size) const
{
    return isUsable(size) && !isInFlight(size) && isSafe(size);
}

bool TrialSafety::isHeldByFar(std::int64_t size) const
{
    const std::int64_t larger = std::min(size + size / 2, m_situation.candidates.largest());
    return larger >= size && m_situation.memory.probabilityOfFit(larger) >= demandedFit &&
           std::ranges::any_of(m_situation.history.timed(),
                               [](const Measurement& trial) { return trial.peakReservedBytes > 0; });
}

double TrialSafety::predictedFit(std::int64_t size) const
{
    return size <= m_largestRun && isSafe(size) ? 1.0 : m_situation.memory.probabilityOfFit(size);
}

std::int64_t TrialSafety::largestSafe() const
{
    return m_situation.memory.largestWithFit(demandedFit);
}

BoundaryProbe::BoundaryProbe(const TrialSafety::Situation& situation, const PosteriorSummary& summary)
    : m_situation(situation), m_safety(situation), m_summary(summary)
{}

std::optional<std::int64_t> BoundaryProbe::next() const
{
    const TrialHistory& history = m_situation.history;
    const std::int64_t good = history.largestGood();
    const std::optional<std::int64_t> above = m_situation.candidates.above(good);
    const bool isOpen = above && m_safety.isUsable(*above) && !m_safety.isSafe(*above) &&
                        m_situation.memory.probabilityOfFit(*above) > 0.0;
    if (good == 0 || !isOpen || m_safety.isBesideUnknown())
        return std::nullopt;
    const bool isOnlyOne = history.goodSizes().size() == 1 && history.outOfMemoryTrials() == 0;
    if (isOnlyOne && m_safety.isUsable(good + 1) &&
        m_situation.memory.probabilityOfFit(good + 1) >= secondSizeFit)
        return good + 1;
    if (!isWorthIt())
        return std::nullopt;
    if (const auto probe = onTheWayTo(*above))
        return probe;
    const bool isEven = m_situation.memory.probabilityOfFit(*above) >= evenOdds;
    return isEven && history.outOfMemoryTrials() == 0 ? above : std::nullopt;
}

bool BoundaryProbe::isInVain() const
{
    return std::ranges::none_of(m_summary.rivals, [&](const PosteriorSummary::Rival& rival) {
        const bool isOpen = m_safety.isInFlight(rival.size) || m_safety.mayBeTried(rival.size);
        return rival.probability >= minRivalProbability && isOpen;
    });
}

bool BoundaryProbe::isWorthIt() const
{
    const std::int64_t largest = m_situation.history.largestRun();
    return std::ranges::any_of(m_summary.rivals, [&](const PosteriorSummary::Rival& rival) {
        return rival.size > largest && rival.probability >= minGainProbability;
    });
}

std::optional<std::int64_t> BoundaryProbe::onTheWayTo(std::int64_t size) const
{
    const double fit = m_situation.history.outOfMemoryTrials() > 0 ? probeFitAfterFailure : probeFit;
    const std::int64_t probe = std::min(m_situation.memory.largestWithFit(fit), size - 1);
    const auto min = minProbeRatio * static_cast<double>(m_situation.history.largestRun());
    if (static_cast<double>(probe) < min || probe <= m_situation.history.largestRun() ||
        !m_safety.isUsable(probe) || m_safety.isInFlight(probe))
        return std::nullopt;
    return probe;
}

} // namespace batchpeak::search
