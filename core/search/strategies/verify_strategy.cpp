// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "verify_strategy.h"

#include "calibration.h"
#include "candidate_set.h"
#include "throughput.h"

#include <algorithm>

namespace batchpeak::search {

VerifyStrategy::VerifyStrategy(const SearchSpace& space)
    : m_space(space), m_size(CandidateSet(space).smallest()), m_history(space.memoryLimitBytes)
{
    m_searchState.expectedTrials = 1;
    m_searchState.next = nextTrial();
}

void VerifyStrategy::record(const Measurement& measurement)
{
    using Status = SearchState::Status;
    m_history.record(measurement);
    if (m_history.isGood(m_size)) {
        m_searchState.status = Status::Exhausted;
        m_searchState.recommendation = recommendation();
        m_searchState.estimates = {{.size = m_size,
                                    .samplesPerSecond = m_searchState.recommendation->samplesPerSecond,
                                    .relativeError = m_searchState.recommendation->relativeError,
                                    .probabilityWithin = maxConfidence}};
        m_searchState.largestPredictedFit = m_size;
    } else if (m_history.hasFailed(m_size)) {
        m_searchState.status = Status::NothingFits;
        m_searchState.recommendation.reset();
        m_searchState.estimates.clear();
        m_searchState.smallestFailure = m_size;
    } else if (m_history.isGivenUp(m_size)) {
        m_searchState.status = Status::Exhausted;
    } else {
        m_searchState.expectedTrials = 2;
    }
    const bool hasEnded = m_searchState.status != Status::Searching;
    m_searchState.next = hasEnded ? std::nullopt : std::optional(nextTrial());
}

NextTrial VerifyStrategy::nextTrial() const
{
    return {.sizes = {m_size}, .purpose = trial::Purpose::OnlySize};
}

std::optional<Proposal> VerifyStrategy::next(std::span<const std::int64_t> inFlight)
{
    if (m_searchState.status != SearchState::Status::Searching || !inFlight.empty())
        return std::nullopt;
    return Proposal{.size = m_size, .purpose = trial::Purpose::OnlySize};
}

Recommendation VerifyStrategy::recommendation() const
{
    const Measurement& trial = m_history.timed().back();
    const Throughput throughput(m_space, trial.optimizerSeconds);
    const auto secondsAt = [&](std::int64_t size) {
        return trial.secondsPerStep * static_cast<double>(size) / static_cast<double>(m_size);
    };
    return {.size = m_size,
            .samplesPerSecond = throughput.samplesPerSecond(m_size, secondsAt),
            .relativeError = trial.relativeError.value_or(0.0),
            // The only allowed size is the best one as soon as it has run.
            .confidence = confidencePercent(1.0),
            .reason = {.kind = Reason::Kind::Verified, .largestPredictedFit = m_size}};
}

} // namespace batchpeak::search
