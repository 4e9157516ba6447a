// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "limit_probe.h"

#include "candidate_set.h"
#include "judgement.h"
#include "memory/memory_model.h"
#include "trial_history.h"

#include <algorithm>

namespace batchpeak::search {

namespace {

/// A size on the way is there to learn, not to fail.
constexpr double probeFit = 0.9;
/// One that is closer to what ran tells nothing new.
constexpr double leastProbeRatio = 1.02;
/// A single size says next to nothing of the slope, and its neighbour would almost always fit.
constexpr double secondSizeFit = 0.1;
constexpr double evenChance = 0.5;
/// A rival less probable than this is worth no risk, and one less probable than the other no trial.
constexpr double leastGainProbability = 0.02;
constexpr double leastRivalProbability = 0.01;

} // namespace

LimitProbe::LimitProbe(const TrialSafety::Situation& situation, const Judgement& judgement)
    : m_situation(situation), m_safety(situation), m_judgement(judgement)
{}

std::optional<std::int64_t> LimitProbe::next() const
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
    const bool isEven = m_situation.memory.probabilityOfFit(*above) >= evenChance;
    return isEven && history.outOfMemoryTrials() == 0 ? above : std::nullopt;
}

bool LimitProbe::isInVain() const
{
    return std::ranges::none_of(m_judgement.rivals, [&](const Judgement::Rival& rival) {
        const bool isOpen = m_safety.isInFlight(rival.size) || m_safety.mayBeTried(rival.size);
        return rival.probability >= leastRivalProbability && isOpen;
    });
}

bool LimitProbe::isWorthIt() const
{
    const std::int64_t largest = m_situation.history.largestRun();
    return std::ranges::any_of(m_judgement.rivals, [&](const Judgement::Rival& rival) {
        return rival.size > largest && rival.probability >= leastGainProbability;
    });
}

std::optional<std::int64_t> LimitProbe::onTheWayTo(std::int64_t size) const
{
    const double demanded = std::max(m_safety.demandedFit(), probeFit);
    const std::int64_t probe = std::min(m_situation.memory.largestWithFit(demanded), size - 1);
    const auto least = leastProbeRatio * static_cast<double>(m_situation.history.largestRun());
    if (static_cast<double>(probe) < least || probe <= m_situation.history.largestRun() ||
        !m_safety.mayBeTried(probe))
        return std::nullopt;
    return probe;
}

} // namespace batchpeak::search
