// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scripted_strategy.h"

#include <algorithm>
#include <utility>

namespace batchpeak::test {

using search::Measurement;
using search::SearchState;

ScriptedStrategy::ScriptedStrategy(Script script) : m_script(std::move(script))
{
    m_searchState.expectedTrials = static_cast<int>(proposals());
    m_searchState.continuation = m_script.continuation;
}

void ScriptedStrategy::record(const Measurement& measurement)
{
    if (m_script.told)
        m_script.told->push_back(measurement);
    std::erase(m_awaited, measurement.size);
    if (m_done >= m_script.sizes.size())
        ++m_done;
    else if (takeVoid(measurement))
        return;

    if (measurement.ran() && !measurement.thrashes) {
        const double speed = static_cast<double>(measurement.size) / measurement.secondsPerStep;
        const auto [place, isNew] = m_speeds.try_emplace(measurement.size, speed);
        if (!isNew && m_disturbed[measurement.size])
            place->second = speed;
        m_disturbed[measurement.size] = measurement.disturbed;
    } else if (!measurement.saysNothing()) {
        m_speeds.erase(measurement.size);
    }
    recommendFastest();
    if (measurement.doesNotFit() && measurement.size == m_script.sizes.front()) {
        m_searchState.status = SearchState::Status::NothingFits;
        return;
    }
    if (m_done >= proposals())
        m_searchState.status = SearchState::Status::Exhausted;
}

/// Repeats a size whose first trial was void; the second trial settles it.
/// \return whether this is a first void trial
bool ScriptedStrategy::takeVoid(const Measurement& measurement)
{
    if (measurement.saysNothing() && ++m_void[measurement.size] < 2)
        return true;
    const bool isRepetition = m_disturbed[measurement.size];
    if (!isRepetition && (m_void[measurement.size] < 2 || measurement.saysNothing()))
        ++m_done;
    return false;
}

void ScriptedStrategy::recommendFastest()
{
    const auto fastest =
        std::ranges::max_element(m_speeds, {}, [](const auto& sizeAndSpeed) { return sizeAndSpeed.second; });
    if (fastest == m_speeds.end())
        m_searchState.recommendation.reset();
    else if (!m_searchState.recommendation || m_searchState.recommendation->size != fastest->first)
        m_searchState.recommendation =
            search::Recommendation{.size = fastest->first,
                                   .samplesPerSecond = fastest->second,
                                   .confidence = static_cast<int>(10 * m_done),
                                   .reason = {.kind = search::Reason::Kind::AllTried}};
}

void ScriptedStrategy::continueSearch(int maxTrials)
{
    for (const std::int64_t size : m_script.more) {
        if (static_cast<int>(m_script.sizes.size()) < maxTrials)
            m_script.sizes.push_back(size);
    }
    m_script.comparisons.clear();
    m_awaited.clear();
    m_searchState.status = SearchState::Status::Searching;
    m_proposed = m_done = std::min(m_proposed, m_script.sizes.size() - m_script.more.size());
    m_script.more.clear();
}

search::Abilities ScriptedStrategy::abilities() const
{
    return {.excludesSizes = true, .triesAskedSizes = true};
}

void ScriptedStrategy::setExcluded(std::int64_t size, bool isExcluded)
{
    std::erase(m_searchState.excluded, size);
    if (!isExcluded)
        return;
    m_searchState.excluded.push_back(size);
    m_speeds.erase(size);
    m_searchState.recommendation.reset();
    recommendFastest();
}

std::optional<search::Proposal> ScriptedStrategy::asked(std::int64_t size)
{
    return search::Proposal{.size = size, .minSteps = 3, .maxSteps = 3, .purpose = trial::Purpose::Asked};
}

void ScriptedStrategy::skip(std::span<const std::int64_t> sizes)
{
    for (const std::int64_t size : sizes)
        std::erase(m_awaited, size);
    if (++m_done >= proposals())
        m_searchState.status = SearchState::Status::Exhausted;
}

/// Returns a size that was proposed and given back; nothing if there is none.
std::optional<std::int64_t> ScriptedStrategy::notRun(std::span<const std::int64_t> inFlight) const
{
    const auto place = std::ranges::find_if(
        m_awaited, [&](std::int64_t size) { return std::ranges::find(inFlight, size) == inFlight.end(); });
    return place == m_awaited.end() ? std::nullopt : std::optional(*place);
}

std::optional<search::Proposal> ScriptedStrategy::next(std::span<const std::int64_t> inFlight)
{
    if (m_searchState.status != SearchState::Status::Searching)
        return std::nullopt;
    if (const auto size = notRun(inFlight))
        return search::Proposal{.size = *size, .minSteps = 3, .maxSteps = 3};
    if (m_proposed >= proposals())
        return std::nullopt;
    if (m_proposed >= m_script.sizes.size()) {
        const auto& compared = m_script.comparisons[m_proposed++ - m_script.sizes.size()];
        return search::Proposal{
            .size = compared.front(), .comparedSizes = compared, .visits = 4, .stepsPerVisit = 3};
    }
    m_awaited.push_back(m_script.sizes[m_proposed++]);
    return search::Proposal{.size = m_awaited.back(), .minSteps = 3, .maxSteps = 3};
}

} // namespace batchpeak::test
