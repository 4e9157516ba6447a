// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"
#include "search/strategies/calibration.h"
#include "search/strategies/trial_forecast.h"
#include "search/strategy.h"
#include "search_world.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// One search from beginning to end on a replayed device, and how right it was at every moment.
struct SearchRecord
{
    /// A trial, and what was said after it.
    struct Moment
    {
        std::int64_t size = 0;
        batchpeak::trial::Outcome outcome = batchpeak::trial::Outcome::Failed;
        bool thrashes = false;
        bool abandoned = false;
        /// Samples/s as measured; 0 where the size did not fit.
        double measuredSpeed = 0.0;
        /// What the strategy thought before the trial, 0..1.
        double predictedFit = 1.0;

        /// 0 where nothing is recommended.
        std::int64_t recommended = 0;
        /// Confidence, 0..1.
        double stated = 0.0;
        /// What the stated confidence rests on; nothing where the strategy has no posterior.
        std::optional<batchpeak::search::CalibrationCase> evidence;
        /// 1 - samples/s of the recommended size over those of the best.
        double regret = 1.0;
        /// Time so far over that of a ramp by powers of two on one device.
        double ramps = 0.0;
        /// Since the start [s].
        double seconds = 0.0;
        /// What the search thinks that it still needs, and out of what; nothing at its end.
        std::optional<batchpeak::search::Forecast> forecast;
        std::optional<batchpeak::search::ForecastCase> forecastCase;
        batchpeak::search::Reason reason;
        /// By what share the best was said to be faster, and samples/s as they were stated.
        double expectedLoss = 0.0;
        double samplesPerSecond = 0.0;
        double relativeError = 0.0;
        /// Of the recommended size in the long run.
        double longRunSpeed = 0.0;
        bool isComparison = false;
    };

    /// Its last word on a recorded device, by all curves that the sweep leaves possible.
    struct Judgment
    {
        /// Share of the curves by which it is within the tolerance of the best, and its mean regret.
        double shareWithin = 0.0;
        double regret = 0.0;
        /// What somebody states, and is right, who knows the whole sweep.
        double perfectShare = 0.0;
    };

    SearchTask task;
    /// False for baselines, which have none.
    bool statesConfidence = true;
    std::vector<Moment> moments;
    /// Processor time of each update, choice of the next trial included [ms].
    std::vector<double> updateMilliseconds;
    int outOfMemory = 0;
    std::int64_t largestFit = 0;
    /// Cost over that of trying every allowed size.
    double exhaustiveShare = 0.0;
    /// Nothing where the curve is known, and where nothing is recommended.
    std::optional<Judgment> judgment;
    /// By what share the recommended size was said to be faster than its runner-up, where in truth they are
    /// equal; nothing where they are not, or nothing was said.
    std::optional<double> falseLead;
    /// As it stood at the end.
    batchpeak::search::SearchState searchState;

    const Moment& last() const { return moments.back(); }
    bool isRight(const Moment& moment) const { return moment.regret <= task.tolerance; }
};

/// The search on each family, so many times: from its seed on.
std::vector<SearchTask> tasksOn(const std::vector<std::string>& families, int searches, SearchTask search);

/// \throws std::invalid_argument where there is no such strategy or family
SearchRecord runSearch(const SearchTask& task);

/// Runs all on every processor; the records are in the order of the tasks and do not depend on the number of
/// processors, apart from the time of updates.
std::vector<SearchRecord> runSearches(std::span<const SearchTask> tasks);
