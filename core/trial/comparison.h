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

/// A trial that compares sizes that have run before: all of them in one process, visited in turn and back
/// again (A B C C B A ...), so that what the device does meanwhile falls upon all of them alike.
///
/// It is of version 2 of the protocol, and answered by a TrialResult that has `compared`.
struct CompareRequest
{
    /// Numbered as trials are, and with them.
    std::int64_t id = 0;
    /// fewestComparedSizes to maxComparedSizes different ones, in the order of the first visits.
    std::vector<std::int64_t> microBatchSizes;
    /// Of each size.
    int visits = 4;
    /// Timed ones in each visit.
    int steps = 3;
    /// Before the timed ones of each visit.
    int untimedSteps = 1;
    /// Of the whole comparison.
    double timeLimitSeconds = 60.0;

    bool operator==(const CompareRequest&) const = default;
};

/// Some steps of one size in the midst of a comparison.
struct Visit
{
    /// When its timed steps began: on the program's own monotonic clock, since its hello.
    double clockSeconds = 0.0;
    /// How long they took, optimizer steps included.
    double seconds = 0.0;
    /// Each of them, as TrialResult::stepSeconds: above zero, and never empty.
    std::vector<double> stepSeconds;
    /// Share of what its steps could have used that other programs took meanwhile, 0..1; nothing where the
    /// program does not tell.
    std::optional<double> contention;

    bool operator==(const Visit&) const = default;
};

/// Of each visit its typicalStepSeconds [s].
std::vector<double> typicalStepSecondsOf(std::span<const Visit> visits);

/// What a comparison measured of one size.
struct ComparedSize
{
    std::int64_t microBatchSize = 0;
    /// What the device must have free for this size beside the others; 0 where a program does not tell.
    std::int64_t peakReservedBytes = 0;
    /// As of TrialResult, in the steps of this size.
    std::int64_t allocationRetries = 0;
    /// In their order in time; of a comparison that was cut short, those that came to their end.
    std::vector<Visit> visits;

    bool operator==(const ComparedSize&) const = default;
};

} // namespace batchpeak::trial
