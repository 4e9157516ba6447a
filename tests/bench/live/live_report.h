// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep_truth.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Final result of one exploration on a real device, and its cost.
struct LiveExploration
{
    std::int64_t size = 1;
    /// Stated confidence, 0..1.
    double stated = 0.0;
    double samplesPerSecond = 0.0;
    /// One standard error, as a share; nothing if none was stated.
    std::optional<double> relativeError;
    int trials = 0;
    double seconds = 0.0;
    int outOfMemory = 0;
};

/// All observations of one network.
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

/// Accuracy of the explorations of one network, or of several, over all truths that its visits leave
/// possible.
struct LiveFigures
{
    std::string name;
    int explorations = 0;
    int failures = 0;
    int outOfMemory = 0;
    /// Sums over the explorations: of the probability of being within the tolerance, of the stated
    /// confidence, of the confidence that a perfect forecaster would state, and of the regret.
    double within = 0.0;
    double stated = 0.0;
    double perfect = 0.0;
    double regret = 0.0;
    /// Number of explorations that stated an interval, and the sum of the probabilities that it holds the
    /// long-run samples/s.
    int intervals = 0;
    double inIntervals = 0.0;
    /// Number of explorations whose samples/s differ from the long-run ones by no more than the errors of
    /// both allow: 95 of 100 if the intervals are correct. The visits themselves determine the long run only
    /// to some percent, so that even a correct interval holds it less often.
    int agreeing = 0;
    /// Stated samples/s of one exploration, with the half width of its 95 % interval as a share, and the 95 %
    /// interval of the long-run samples/s.
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

/// Returns the verdict of the visits about the sizes that could be recommended.
///
/// \param truth  truth of the record's visits, which outlives the verdict
TruthVerdict verdictOf(const SweepTruth& truth, const LiveRecord& record, double tolerance);

/// Returns the figures of a record.
/// \return only the counts if there are no visits to judge by
LiveFigures figuresOf(const LiveRecord& record, double tolerance);

/// Returns the meaning of the columns, and their names.
std::string liveHeading(double tolerance);
std::string liveRow(const LiveFigures& figures);
/// Returns "40: 585 samples/s +- 6.1 % stated, 548 to 561 in the long run".
std::string liveSpeedText(const LiveFigures::Speed& speed);
/// Returns a sentence: whether the stated confidence is credible, how certain that is, and what to do next.
std::string liveVerdict(const LiveFigures& overall);
