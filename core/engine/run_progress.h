// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <cstdint>
#include <map>
#include <optional>

namespace batchpeak::engine {

/// Tells a long step from a stall: how long the trials under way have been silent, and whether that is
/// longer than their own pace explains. It only says so; a worker is given up by its time-outs.
///
/// It has no clock: every call is told the present, in seconds since the start of the exploration.
class StallWatch
{
public:
    /// \param predictedWallSeconds  of the whole trial, where the search can tell
    void trialStarted(std::int64_t trial, double now, std::optional<double> predictedWallSeconds);
    void stepTaken(std::int64_t trial, double now, double stepSeconds);
    void trialEnded(std::int64_t trial);

    /// Longest silence of a trial that is longer than expected of it [s]; 0 when all is well.
    double stalledSeconds(double now) const;

private:
    struct Watched
    {
        double lastSign = 0.0;
        double expectedSilence = 0.0;
    };
    std::map<std::int64_t, Watched> m_trials;
};

/// What is known of an exploration's course, to tell how far it is.
struct Course
{
    int finishedTrials = 0;
    /// By the search; it may grow and shrink.
    int expectedTrials = 0;
    /// What the search says of the trials to come (search::Forecast), and what has been spent on trials since
    /// then, on all devices together [s].
    std::optional<search::Estimate> forecastSeconds;
    double spentSeconds = 0.0;
    int devices = 1;
    double elapsedSeconds = 0.0;
    std::optional<double> budgetSeconds;
};

struct Progress
{
    /// 0..0.99: only the end is 1.
    double share = 0.0;
    /// Nothing before the first trial has ended.
    std::optional<search::Estimate> secondsLeft;
};

/// How far an exploration is, and how long it will go on: what the search foretells, spread over the devices
/// and counted down, and no more than the budget leaves. It may go back when the search finds that it needs
/// more.
Progress estimateProgress(const Course& course);

/// The share to show after another one: it holds where the estimate goes back by a little, and else goes back
/// no further than it must to be at most a tenth of the whole ahead of the estimate.
double heldShare(double estimated, double shown);

} // namespace batchpeak::engine
