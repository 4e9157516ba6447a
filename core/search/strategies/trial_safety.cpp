// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_safety.h"

#include "candidate_set.h"
#include "memory/memory_model.h"
#include "trial_history.h"

#include <algorithm>

namespace batchpeak::search {

namespace {

// How probable a fit must be: at first, once a size has run out of memory, and while a size larger than any
// that ran is still under way; found on simulated memory curves.
constexpr double demandedAtFirst = 0.8;
constexpr double demandedAfterFailure = 0.97;
constexpr double demandedBesideUnknown = 0.985;

/// A line through small sizes is not trusted further up than this.
constexpr std::int64_t farthestRatio = 16;

/// A void trial says nothing, and after a second one a third would not either.
constexpr int voidTrialsAllowed = 1;

} // namespace

TrialSafety::TrialSafety(const Situation& situation)
    : m_situation(situation),
      m_largestRun(situation.history.largestRun()),
      m_isBesideUnknown(std::ranges::any_of(
          situation.inFlight, [&](std::int64_t size) { return size > situation.history.largestRun(); }))
{}

bool TrialSafety::isUsable(std::int64_t size) const
{
    return !m_situation.history.hasFailed(size) && m_situation.history.voidTrials(size) <= voidTrialsAllowed;
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
    return m_situation.memory.probabilityOfFit(size) >= demandedFit();
}

bool TrialSafety::mayBeTried(std::int64_t size) const
{
    return isUsable(size) && !isInFlight(size) && isSafe(size);
}

double TrialSafety::predictedFit(std::int64_t size) const
{
    return size <= m_largestRun && isSafe(size) ? 1.0 : m_situation.memory.probabilityOfFit(size);
}

double TrialSafety::demandedFit() const
{
    if (m_isBesideUnknown)
        return demandedBesideUnknown;
    return m_situation.history.outOfMemoryTrials() > 0 ? demandedAfterFailure : demandedAtFirst;
}

} // namespace batchpeak::search
