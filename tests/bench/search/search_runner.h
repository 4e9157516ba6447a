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
    /// A trial, and the search's report after it.
    struct Moment
    {
        std::int64_t size = 0;
        batchpeak::trial::Outcome outcome = batchpeak::trial::Outcome::Failed;
        bool thrashes = false;
        bool abandoned = false;
        /// Measured samples/s; 0 if the size did not fit.
        double measuredSpeed = 0.0;
        /// The strategy's probability before the trial that the size fits, 0..1.
        double predictedFit = 1.0;

        /// Recommended size; 0 if nothing is recommended.
        std::int64_t recommended = 0;
        /// Stated confidence, 0..1.
        double stated = 0.0;
        /// Evidence of the stated confidence; nothing if the strategy has no posterior.
        std::optional<batchpeak::search::CalibrationCase> evidence;
        /// 1 - samples/s of the recommended size divided by those of the best.
        double regret = 1.0;
        /// Time so far divided by that of a ramp by powers of two on one device.
        double ramps = 0.0;
        /// Time since the start [s].
        double seconds = 0.0;
        /// The search's forecast of its remaining time, and its inputs; nothing at the end.
        std::optional<batchpeak::search::Forecast> forecast;
        std::optional<batchpeak::search::ForecastCase> forecastCase;
        batchpeak::search::Reason reason;
        /// Stated share by which the best size is faster, and stated samples/s.
        double expectedLoss = 0.0;
        double samplesPerSecond = 0.0;
        double relativeError = 0.0;
        /// Speed of the recommended size in the long run.
        double longRunSpeed = 0.0;
        bool isComparison = false;
    };

    /// Judgment of its final recommendation on a recorded device, over all curves that the sweep leaves
    /// possible.
    struct Judgment
    {
        /// Share of the curves for which it is within the tolerance of the best, and its mean regret.
        double shareWithin = 0.0;
        double regret = 0.0;
        /// Probability that a forecaster who knows the whole sweep states correctly.
        double perfectShare = 0.0;
    };

    SearchTask task;
    /// Whether the strategy states a confidence; baselines do not.
    bool statesConfidence = true;
    std::vector<Moment> moments;
    /// Processor time of each update, including the choice of the next trial [ms].
    std::vector<double> updateMilliseconds;
    int outOfMemory = 0;
    std::int64_t largestFit = 0;
    /// Cost divided by that of trying every allowed size.
    double exhaustiveShare = 0.0;
    /// Nothing if the curve is known, or nothing is recommended.
    std::optional<Judgment> judgment;
    /// Stated share by which the recommended size is faster than its runner-up, if in truth they are equal;
    /// nothing if they are not, or nothing was stated.
    std::optional<double> falseLead;
    /// State of the search at the end.
    batchpeak::search::SearchState searchState;

    const Moment& last() const { return moments.back(); }
    bool isRight(const Moment& moment) const { return moment.regret <= task.tolerance; }
};

/// Returns tasks for the search on each family: \p searches of them, with consecutive seeds from the search's
/// own on.
std::vector<SearchTask> tasksOn(const std::vector<std::string>& families, int searches, SearchTask search);

/// \throws std::invalid_argument if there is no such strategy or family
SearchRecord runSearch(const SearchTask& task);

/// Runs all tasks on every processor; the records are in the order of the tasks and do not depend on the
/// number of processors, apart from the time of updates.
std::vector<SearchRecord> runSearches(std::span<const SearchTask> tasks);
