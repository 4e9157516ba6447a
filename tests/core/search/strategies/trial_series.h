// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategies/posterior_summary.h"
#include "search/trial_history.h"

#include <functional>
#include <vector>

/// Trials on a device that a formula describes, and the summary that a search derives from them.
class TrialSeries
{
public:
    static constexpr std::int64_t largestFit = 400;

    /// Time of one micro-batch of a size [s].
    using Curve = std::function<double(std::int64_t)>;

    explicit TrialSeries(double tolerance = 0.02);

    /// Returns a trial of five steps that scatter by half a percent, five seconds after the previous one.
    batchpeak::search::Measurement trial(std::int64_t size, double seconds);
    void wait(double seconds) { m_clock += seconds; }
    void record(const batchpeak::search::Measurement& measurement) { m_history.record(measurement); }
    void record(const std::vector<std::int64_t>& sizes, const Curve& seconds);

    batchpeak::search::PosteriorSummary summary() const;

private:
    batchpeak::search::SearchSpace m_space;
    batchpeak::search::TrialHistory m_history;
    double m_clock = 0.0;
};
