// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_planner.h"

#include <algorithm>
#include <utility>

namespace batchpeak::engine {

TrialPlanner::TrialPlanner(std::unique_ptr<search::Strategy> strategy) : m_strategy(std::move(strategy)) {}

std::optional<search::Proposal> TrialPlanner::next()
{
    std::optional<search::Proposal> proposal;
    if (!m_repeats.empty()) {
        proposal = m_repeats.front();
        m_repeats.pop_front();
    } else {
        std::vector<std::int64_t> sizes;
        std::ranges::transform(m_inFlight, std::back_inserter(sizes), &search::Proposal::size);
        proposal = m_strategy->next(sizes);
    }
    if (proposal)
        m_inFlight.push_back(*proposal);
    return proposal;
}

bool TrialPlanner::trialEnded(const search::Measurement& measurement)
{
    const auto isSame = [&](const auto& other) { return other.size == measurement.size; };
    const auto place = std::ranges::find_if(m_inFlight, isSame);
    if (place == m_inFlight.end())
        return false;
    const search::Proposal proposal = *place;
    m_inFlight.erase(place);

    const auto lost = std::ranges::find_if(m_lost, isSame);
    if (measurement.outcome == search::Measurement::Outcome::Void && lost == m_lost.end()) {
        m_lost.push_back(measurement);
        m_repeats.push_back(proposal);
        return true;
    }
    if (lost != m_lost.end()) {
        m_strategy->record(*lost);
        m_lost.erase(lost);
    }
    m_strategy->record(measurement);
    return false;
}

} // namespace batchpeak::engine
