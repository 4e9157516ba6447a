// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace batchpeak::trial {

inline constexpr std::size_t fewestComparedSizes = 2;
inline constexpr std::size_t maxComparedSizes = 4;

/// Request for a trial that compares sizes that have run before. All sizes run in one process, and their
/// visits are interleaved there and back (A B C C B A ...), so that whatever the device does meanwhile
/// affects all of them alike.
///
/// The request belongs to version 2 of the protocol. Its answer is a TrialResult that has `compared`.
struct CompareRequest
{
    /// Number of the comparison, from the same sequence as the numbers of trials.
    std::int64_t id = 0;
    /// Different sizes, fewestComparedSizes to maxComparedSizes of them, in the order of their first visits.
    std::vector<std::int64_t> microBatchSizes;
    /// Number of visits of each size.
    int visits = 4;
    /// Number of timed steps in each visit.
    int steps = 3;
    /// Number of untimed steps before the timed steps of each visit.
    int untimedSteps = 1;
    /// Time limit of the whole comparison.
    double timeLimitSeconds = 60.0;

    bool operator==(const CompareRequest&) const = default;
};

/// A run of steps of one size during a comparison.
struct Visit
{
    /// Time at which the timed steps began, on the program's own monotonic clock, counted from its hello.
    double clockSeconds = 0.0;
    /// Duration of the timed steps, optimizer steps included.
    double seconds = 0.0;
    /// Duration of each timed step, like TrialResult::stepSeconds: above zero, and never empty.
    std::vector<double> stepSeconds;
    /// Share of the processor time usable by its steps that other programs took meanwhile, 0..1. No value if
    /// the program does not report it.
    std::optional<double> contention;

    bool operator==(const Visit&) const = default;
};

/// Returns the typicalStepSeconds [s] of each visit.
std::vector<double> typicalStepSecondsOf(std::span<const Visit> visits);

/// Measurements of one size in a comparison.
struct ComparedSize
{
    std::int64_t microBatchSize = 0;
    /// Memory that the device must have free for this size next to the other sizes; 0 if the program does not
    /// report it.
    std::int64_t peakReservedBytes = 0;
    /// Same as TrialResult::allocationRetries, for the steps of this size.
    std::int64_t allocationRetries = 0;
    /// Visits in chronological order. A comparison that was cut short has only the visits that were
    /// completed.
    std::vector<Visit> visits;

    bool operator==(const ComparedSize&) const = default;
};

} // namespace batchpeak::trial
