// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::engine {

/// What all trials of one size say of it together.
struct MeasuredSize
{
    std::int64_t microBatchSize = 0;
    /// Numbers of its trials, and of the comparisons that it is part of, in the order of their starts; none
    /// where all that is known of it is recalled.
    std::vector<int> trials;
    /// Of its sound trials; nothing where none of them measured it.
    std::optional<double> samplesPerSecond;
    /// Standard error relative to the value; nothing where it cannot be told.
    std::optional<double> relativeError;
    /// How many trials that is made of. Where something disturbed all of them, they stand in.
    int soundTrials = 0;
    /// The largest; 0 where unknown.
    std::int64_t peakReservedBytes = 0;
    bool isRecommended = false;

    bool operator==(const MeasuredSize&) const = default;
};

/// The sizes that were tried or are being tried, ascending, those among them of which only recalled trials
/// tell.
///
/// The speed of a size that the search has an estimate of is that, which every other place shows too.
/// Of the others, such as those above the memory limit, it is the mean of their trials, each weighing by its
/// precision (inverse variance: its own error and the scatter of trials from run to run, trial::RunScatter).
/// What thrashes has measured no speed of its size.
std::vector<MeasuredSize> measuredSizes(const Snapshot& snapshot);

/// Whether a trial of a size ran well, by itself or among others in turn: one of this exploration, or one
/// that is recalled, unless the size is known not to fit any more.
bool hasRun(const Snapshot& snapshot, std::int64_t microBatchSize);

} // namespace batchpeak::engine
