// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

namespace batchpeak::engine {

/// What is known of an exploration's course, to tell how far it is.
struct Course
{
    int finishedTrials = 0;
    /// By the search; it may grow and shrink.
    int expectedTrials = 0;
    int devices = 1;
    /// Of the finished trials together [s].
    double trialSeconds = 0.0;
    double elapsedSeconds = 0.0;
    std::optional<double> budgetSeconds;
};

struct Progress
{
    /// 0..0.99: only the end is 1.
    double share = 0.0;
    /// Nothing before the first trial has ended.
    std::optional<double> secondsLeft;
};

/// How far an exploration is, and how long it will go on if the trials to come take as long as those
/// before did on average. It may go back when the search finds that it needs more.
Progress estimateProgress(const Course& course);

} // namespace batchpeak::engine
