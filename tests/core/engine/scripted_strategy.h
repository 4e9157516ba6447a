// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <map>
#include <vector>

namespace batchpeak::test {

/// A search that tries the sizes that it was given, in their order, each at most twice, and recommends
/// the fastest that ran. What it was told is kept for the test to look at.
class ScriptedStrategy : public search::Strategy
{
public:
    struct Script
    {
        std::vector<std::int64_t> sizes;
        /// What it was told of finished trials, shared with the test.
        std::vector<search::Measurement>* told = nullptr;
    };

    explicit ScriptedStrategy(Script script);

    void record(const search::Measurement& measurement) override;
    std::optional<search::Proposal> next(std::span<const std::int64_t> inFlight) override;
    const search::SearchState& searchState() const override { return m_searchState; }

private:
    void recommendFastest();

    Script m_script;
    search::SearchState m_searchState;
    std::size_t m_proposed = 0;
    std::size_t m_done = 0;
    std::map<std::int64_t, int> m_void;
    /// Samples/s of the sizes that ran, and did not fail since.
    std::map<std::int64_t, double> m_speeds;
};

} // namespace batchpeak::test
