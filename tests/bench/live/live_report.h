// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep_truth.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What one exploration on a real device said in the end, and what it took.
struct LiveExploration
{
    std::int64_t size = 1;
    /// 0..1
    double stated = 0.0;
    double samplesPerSecond = 0.0;
    /// One standard error, as a share; nothing where none was stated.
    std::optional<double> relativeError;
    int trials = 0;
    double seconds = 0.0;
    int outOfMemory = 0;
};

/// All that was seen of one network.
struct LiveRecord
{
    std::string name;
    std::vector<LiveExploration> explorations;
    /// Explorations that ended without a recommendation, and out-of-memory failures of these.
    int failures = 0;
    int outOfMemoryOfFailures = 0;
    /// Visits between the explorations, of every size.
    std::vector<SizeVisit> visits;
    /// Sizes that could be recommended: they fit with the headroom.
    std::vector<std::int64_t> answers;
};

/// How right the explorations of one network were, or of several, by all that its visits leave possible.
struct LiveFigures
{
    std::string name;
    int explorations = 0;
    int failures = 0;
    int outOfMemory = 0;
    /// Sums over the explorations: of the probability to be within the tolerance, of what was stated, of what
    /// a perfect forecaster would state, of the regret.
    double within = 0.0;
    double stated = 0.0;
    double perfect = 0.0;
    double regret = 0.0;
    /// Explorations that stated an interval, and the sum of the probabilities that it holds the long-run
    /// samples/s.
    int intervals = 0;
    double inIntervals = 0.0;
    /// Those whose samples/s differ from the long-run ones by no more than the errors of both leave possible:
    /// 95 of 100, if the intervals are true. The visits themselves know the long run to some percent only, so
    /// that even a true interval holds it less often.
    int agreeing = 0;
    /// One exploration's samples/s as they were stated, with the half width of the interval of 95 % as a
    /// share, and where those of the long run lie with 95 % certainty.
    struct Speed
    {
        std::int64_t size = 1;
        double stated = 0.0;
        double halfWidth = 0.0;
        double low = 0.0;
        double high = 0.0;
    };
    std::vector<Speed> speeds;
    std::vector<double> trials;
    std::vector<double> seconds;

    void add(const LiveFigures& other);
};

/// What the visits leave possible of the answers.
///
/// \param truth  of the record's visits, which outlives the verdict
TruthVerdict verdictOf(const SweepTruth& truth, const LiveRecord& record, double tolerance);

/// \return nothing but the counts where there is no visit to judge by
LiveFigures figuresOf(const LiveRecord& record, double tolerance);

/// What the columns mean, and their names.
std::string liveHeading(double tolerance);
std::string liveRow(const LiveFigures& figures);
/// "40: 585 samples/s +- 6.1 % stated, 548 to 561 in the long run".
std::string liveSpeedText(const LiveFigures::Speed& speed);
/// One sentence: whether the stated confidence can be believed, how sure that is, and what to do next.
std::string liveVerdict(const LiveFigures& overall);
