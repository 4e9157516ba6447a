// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/comparison.h"
#include "trial/trial_result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::search {

/// Whether the outcome of a trial rules its size out: the size needs more memory than there is or more time
/// than a trial may take, or the network cannot run at it.
///
/// Ok says that the size ran. The remaining outcomes say nothing about the size, since a trial may fail,
/// crash or be canceled at any size.
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
    /// Typical time of one micro-batch [s], and the time of every timed step; the latter may be empty.
    double secondsPerStep = 0.0;
    std::vector<double> stepSeconds;
    /// Number of timed steps, for programs that do not send each step; 0 if unknown.
    int steps = 0;
    std::optional<double> relativeError;
    /// Time of an optimizer step [s], not part of secondsPerStep.
    double optimizerSeconds = 0.0;
    std::int64_t peakAllocatedBytes = 0;
    std::int64_t peakReservedBytes = 0;
    /// Whether the size fits only by flushing the cache again and again: it is never recommended, and bounds
    /// later sizes.
    bool thrashes = false;
    /// Whether the trial was cut short because it could no longer win; its few steps still count.
    bool abandoned = false;
    /// Whether another program used the device meanwhile: the time may be off by any factor.
    bool disturbed = false;
    /// Share of the resources available to its steps that other programs took while they were timed, 0..1; 0
    /// if the program does not report it.
    double contention = 0.0;
    /// Whether the trial verifies a size that the search had settled on: it does not count among the trials
    /// of the search.
    bool isVerification = false;
    /// Number of the earlier exploration, of the same run on the same devices, that the trial is from; 0 for
    /// a trial of this search. Such a trial is evidence with an age and not a trial of this search. The
    /// number tells trials of one exploration from those of others.
    std::int64_t exploration = 0;
    /// All sizes of a trial that compares, as far as they were visited; empty for an ordinary trial. The
    /// member size is then the first of them, or the one that caused the outcome, or 0 if the trial came to
    /// nothing through no fault of a size.
    std::vector<trial::ComparedSize> compared;
    /// When one size of a comparison was visited; empty for an ordinary trial, which is one visit that ended
    /// at clockSeconds.
    std::vector<trial::Visit> visits;
    /// Time of the whole trial, including set-up and warm-up [s].
    double wallSeconds = 0.0;
    /// End of the trial, relative to the start of the exploration [s]; negative for a recalled trial.
    double clockSeconds = 0.0;

    /// Whether timed steps were taken.
    bool ran() const { return outcome == trial::Outcome::Ok; }
    bool doesNotFit() const { return search::doesNotFit(outcome); }
    bool saysNothing() const { return !ran() && !doesNotFit(); }
    bool isRecalled() const { return exploration != 0; }

    /// Number of timed steps; 0 if the program reports neither each step nor their number.
    double timedSteps() const
    {
        return stepSeconds.empty() ? static_cast<double>(steps) : static_cast<double>(stepSeconds.size());
    }
};

/// Returns the same measurement on a clock that is ahead by so many seconds.
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
