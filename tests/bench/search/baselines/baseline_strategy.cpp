// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "baseline_strategy.h"

#include <algorithm>
#include <cmath>

using namespace batchpeak::search;

BaselineStrategy::BaselineStrategy(const SearchSpace& space) : m_space(space), m_candidates(space) {}

void BaselineStrategy::record(const Measurement& measurement)
{
    if (measurement.ran()) {
        m_speeds[measurement.size] = static_cast<double>(measurement.size) / measurement.secondsPerStep;
        m_peaks[measurement.size] = static_cast<double>(measurement.peakReservedBytes);
    } else {
        m_smallestFailure = std::min(m_smallestFailure.value_or(measurement.size), measurement.size);
    }
    if (hasRun())
        m_searchState.recommendation = {.size = answer(), .samplesPerSecond = speed(answer())};
}

std::optional<Proposal> BaselineStrategy::next(std::span<const std::int64_t> inFlight)
{
    if (m_hasEnded || !inFlight.empty())
        return std::nullopt;
    if (const auto size = nextSize())
        return Proposal{.size = *size};
    m_hasEnded = true;
    m_searchState.status = hasRun() ? SearchState::Status::Exhausted : SearchState::Status::NothingFits;
    return std::nullopt;
}

bool BaselineStrategy::wasTried(std::int64_t size) const
{
    return m_speeds.contains(size) || (m_smallestFailure && size >= *m_smallestFailure);
}

double BaselineStrategy::speed(std::int64_t size) const
{
    const auto place = m_speeds.find(size);
    return place == m_speeds.end() ? 0.0 : place->second;
}

std::int64_t BaselineStrategy::fastest() const
{
    return std::ranges::max_element(m_speeds, {}, [](const auto& entry) { return entry.second; })->first;
}

std::optional<std::int64_t> BaselineStrategy::nextClimb(double ratio) const
{
    if (m_smallestFailure)
        return std::nullopt;
    if (!hasRun())
        return m_candidates.smallest();
    double power = 1.0;
    while (std::llround(power) <= largestRun())
        power *= ratio;
    const std::optional<std::int64_t> next = m_candidates.atMost(std::llround(power));
    // In a sparse list, the power may be smaller than the next size.
    return next && *next > largestRun() ? next : m_candidates.above(largestRun());
}

std::optional<std::int64_t> BaselineStrategy::nextTowardLimit() const
{
    if (!m_smallestFailure)
        return nextClimb(2.0);
    const std::optional<std::int64_t> above = m_candidates.above(largestRun());
    if (!hasRun() || !above || *above >= *m_smallestFailure)
        return std::nullopt;
    return std::max(*above, *m_candidates.atMost((largestRun() + *m_smallestFailure) / 2));
}

std::optional<std::int64_t> BaselineStrategy::untried(double size) const
{
    const std::optional<std::int64_t> allowed =
        m_candidates.atMost(std::max(std::llround(size), static_cast<long long>(m_candidates.smallest())));
    return allowed && !wasTried(*allowed) ? allowed : std::nullopt;
}
