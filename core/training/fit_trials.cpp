// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit_trials.h"

#include <utility>

namespace batchpeak::training {

namespace {

/// After the warm-up: one step could still find the allocator's cache as the warm-up left it.
constexpr int steps = 2;

} // namespace

FitTrials::FitTrials(std::unique_ptr<search::Strategy> strategy) : m_strategy(std::move(strategy)) {}

void FitTrials::record(const search::Measurement& measurement)
{
    m_strategy->record(measurement);
}

std::optional<search::Proposal> FitTrials::next(std::span<const std::int64_t> inFlight)
{
    auto proposal = m_strategy->next(inFlight);
    if (proposal) {
        proposal->minSteps = proposal->maxSteps = steps;
        proposal->minSeconds = 0.0;
        // A slow size fits as well as a fast one.
        proposal->abandonAboveSeconds = 0.0;
    }
    return proposal;
}

const search::SearchState& FitTrials::searchState() const
{
    return m_strategy->searchState();
}

} // namespace batchpeak::training
