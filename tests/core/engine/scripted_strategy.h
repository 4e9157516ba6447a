// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <map>
#include <optional>
#include <vector>

namespace batchpeak::test {

/// A search that tries the given sizes in order, each at most twice, and recommends the fastest that ran.
/// Then it makes the given comparisons, if any, and ends. It keeps the received measurements for the test.
class ScriptedStrategy : public search::Strategy
{
public:
    struct Script
    {
        std::vector<std::int64_t> sizes;
        /// Comparisons after the trials, each made once, with 4 visits.
        std::vector<std::vector<std::int64_t>> comparisons = {};
        /// Sizes that it tries when it continues.
        std::vector<std::int64_t> more = {};
        std::optional<search::ContinuationEstimate> continuation = {};
        /// Measurements of finished trials that it received, shared with the test.
        std::vector<search::Measurement>* told = nullptr;
    };

    explicit ScriptedStrategy(Script script);

    void record(const search::Measurement& measurement) override;
    std::optional<search::Proposal> next(std::span<const std::int64_t> inFlight) override;
    const search::SearchState& searchState() const override { return m_searchState; }
    void continueSearch(int maxTrials) override;
    search::Abilities abilities() const override;
    void setExcluded(std::int64_t size, bool isExcluded) override;
    std::optional<search::Proposal> asked(std::int64_t size) override;
    void skip(std::span<const std::int64_t> sizes) override;
    bool canContinue() override { return !m_script.more.empty() || m_proposed < m_script.sizes.size(); }

private:
    std::size_t proposals() const { return m_script.sizes.size() + m_script.comparisons.size(); }
    std::optional<std::int64_t> notRun(std::span<const std::int64_t> inFlight) const;
    bool takeVoid(const search::Measurement& measurement);
    void recommendFastest();

    Script m_script;
    search::SearchState m_searchState;
    std::size_t m_proposed = 0;
    std::size_t m_done = 0;
    /// Sizes that were proposed as single trials and have not been recorded.
    std::vector<std::int64_t> m_awaited;
    std::map<std::int64_t, int> m_void;
    /// Whether the last trial of the size was disturbed.
    std::map<std::int64_t, bool> m_disturbed;
    /// Samples/s of the sizes that ran and have not failed since.
    std::map<std::int64_t, double> m_speeds;
};

} // namespace batchpeak::test
