// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"
#include "trial_history.h"

namespace batchpeak::search {

/// Runs one trial of the only size that is allowed, to see whether it runs and how fast. Nothing is searched.
class VerifyStrategy final : public Strategy
{
public:
    explicit VerifyStrategy(const SearchSpace& space);

    void record(const Measurement& measurement) override;
    std::optional<Proposal> next(std::span<const std::int64_t> inFlight) override;
    const SearchState& searchState() const override { return m_searchState; }

private:
    Recommendation recommendation() const;
    NextTrial nextTrial() const;

    SearchSpace m_space;
    std::int64_t m_size = 1;
    TrialHistory m_history;
    SearchState m_searchState;
};

} // namespace batchpeak::search
