// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/comparison.h"
#include "trial/outcome.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::search {

/// Whether the end of a trial rules its size out: it needs more memory than there is or more time than a
/// trial may take, or the network cannot be run at it.
///
/// Ok says that the size ran. All others say nothing of it, since a trial may fail, crash or be canceled
/// at any size.
constexpr bool doesNotFit(trial::Outcome outcome)
{
    using trial::Outcome;
    return outcome == Outcome::OutOfMemory || outcome == Outcome::Unsupported || outcome == Outcome::Timeout;
}

/// What the search sees of a finished trial: sizes, times and bytes, but no device and no protocol.
struct Measurement
{
    std::int64_t size = 0;
    trial::Outcome outcome = trial::Outcome::Failed;
    /// Typical time of one micro-batch [s], and every timed step; the latter may be empty.
    double secondsPerStep = 0.0;
    std::vector<double> stepSeconds;
    /// Number of timed steps, for programs that do not send each; 0 where unknown.
    int steps = 0;
    std::optional<double> relativeError;
    /// Optimizer step [s], not part of secondsPerStep.
    double optimizerSeconds = 0.0;
    std::int64_t peakAllocatedBytes = 0;
    std::int64_t peakReservedBytes = 0;
    /// Fits only by flushing the cache again and again: never recommended, and bounds later sizes.
    bool thrashes = false;
    /// Cut short because it could no longer win; its few steps still count.
    bool abandoned = false;
    /// Another program used the device meanwhile: its time may be off by any factor.
    bool disturbed = false;
    /// Share of what its steps could have used that other programs took while they were timed, 0..1; 0 where
    /// the program does not tell.
    double contention = 0.0;
    /// Of a size that the search had settled on: it does not count among the trials of the search.
    bool isVerification = false;
    /// Of an earlier exploration of the same run on the same devices: evidence with an age, and no trial of
    /// this search. Its number, by which those of one day are told from others; 0 for a trial of this one.
    std::int64_t exploration = 0;
    /// Of a trial that compares, all its sizes as far as they were visited; size is then the first, or the
    /// one that the outcome is of, or 0 where it came to nothing without a size's fault. Empty for an
    /// ordinary trial.
    std::vector<trial::ComparedSize> compared;
    /// Of one size of a comparison, when it was visited; empty for an ordinary trial, which is one visit that
    /// ended at clockSeconds.
    std::vector<trial::Visit> visits;
    /// Whole trial, set-up and warm-up included [s].
    double wallSeconds = 0.0;
    /// End of the trial, since the start of the exploration [s]; before it where it is recalled.
    double clockSeconds = 0.0;

    /// Timed steps were taken.
    bool ran() const { return outcome == trial::Outcome::Ok; }
    bool doesNotFit() const { return search::doesNotFit(outcome); }
    bool saysNothing() const { return !ran() && !doesNotFit(); }
    bool isRecalled() const { return exploration != 0; }

    /// 0 where the program says neither each step nor how many there were.
    double timedSteps() const
    {
        return stepSeconds.empty() ? static_cast<double>(steps) : static_cast<double>(stepSeconds.size());
    }
};

/// The same on a clock that is so many seconds ahead.
inline Measurement earlier(Measurement measurement, double seconds)
{
    measurement.clockSeconds -= seconds;
    const auto shift = [seconds](std::vector<trial::Visit>& visits) {
        for (trial::Visit& visit : visits)
            visit.clockSeconds -= seconds;
    };
    shift(measurement.visits);
    for (trial::ComparedSize& size : measurement.compared)
        shift(size.visits);
    return measurement;
}

} // namespace batchpeak::search
