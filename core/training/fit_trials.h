// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <memory>

namespace batchpeak::training {

/// A search whose trials only tell whether a size fits, and so are as short as they can be.
///
/// Which size is tried next, and what is learnt of it, is the other strategy's.
class FitTrials final : public search::Strategy
{
public:
    explicit FitTrials(std::unique_ptr<search::Strategy> strategy);

    void record(const search::Measurement& measurement) override;
    std::optional<search::Proposal> next(std::span<const std::int64_t> inFlight) override;
    const search::SearchState& searchState() const override;

private:
    std::unique_ptr<search::Strategy> m_strategy;
};

} // namespace batchpeak::training
