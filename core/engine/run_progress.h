// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <cstdint>
#include <map>
#include <optional>

namespace batchpeak::engine {

/// Tells a long step from a stall: how long the trials under way have been silent, and whether that is longer
/// than their own pace explains. It only reports; time-outs decide when a worker is given up.
///
/// It has no clock: every call receives the current time, in seconds since the start of the exploration.
class StallWatch
{
public:
    /// \param predictedWallSeconds  predicted time of the whole trial, if the search can predict it
    void trialStarted(std::int64_t trial, double now, std::optional<double> predictedWallSeconds);
    void stepTaken(std::int64_t trial, double now, double stepSeconds);
    void trialEnded(std::int64_t trial);

    /// Returns the longest silence of a trial that has been silent for longer than expected [s]; 0 if there
    /// is none.
    double stalledSeconds(double now) const;

private:
    struct Watched
    {
        double lastSign = 0.0;
        double expectedSilence = 0.0;
    };
    std::map<std::int64_t, Watched> m_trials;
};

/// What is known of the course of an exploration, from which its progress is estimated.
struct Course
{
    int finishedTrials = 0;
    /// Number of trials that the search expects; it may grow and shrink.
    int expectedTrials = 0;
    /// Forecast of the search for the trials to come (search::Forecast), and the time spent on trials since
    /// then, summed over all devices [s].
    std::optional<search::Estimate> forecastSeconds;
    double spentSeconds = 0.0;
    int devices = 1;
    double elapsedSeconds = 0.0;
    std::optional<double> budgetSeconds;
};

struct Progress
{
    /// 0..0.99: only the end of the exploration is 1.
    double share = 0.0;
    /// Time left [s]; nothing before the first trial has ended.
    std::optional<search::Estimate> secondsLeft;
};

/// Estimates the progress of an exploration and the time left: the forecast of the search, divided among the
/// devices and counted down, and no more than the rest of the budget. The progress may go back when the
/// search finds that it needs more trials.
Progress estimateProgress(const Course& course);

/// Returns the share to show after \p shown. It stays the same when the estimate goes back a little.
/// Otherwise, it goes back just far enough to be at most 0.1 ahead of the estimate.
double heldShare(double estimated, double shown);

} // namespace batchpeak::engine
