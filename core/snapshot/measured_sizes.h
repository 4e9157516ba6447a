// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::engine {

/// Combined result of all trials of one size.
struct MeasuredSize
{
    std::int64_t microBatchSize = 0;
    /// Numbers of its trials, and of the comparisons that it is part of, in the order of their starts; none
    /// if the size is known only from recalled trials.
    std::vector<int> trials;
    /// Mean of its sound trials; nothing if none of them measured it.
    std::optional<double> samplesPerSecond;
    /// Standard error relative to the value; nothing if it is unknown.
    std::optional<double> relativeError;
    /// Number of trials behind the mean. If all trials were disturbed, they are used instead.
    int soundTrials = 0;
    /// Largest peak; 0 if unknown.
    std::int64_t peakReservedBytes = 0;
    bool isRecommended = false;

    bool operator==(const MeasuredSize&) const = default;
};

/// Returns the sizes that were tried or are being tried, ascending, including those known only from recalled
/// trials.
///
/// If the search has an estimate of a size, the speed is that estimate, which is shown everywhere else too.
/// For other sizes, such as those above the memory limit, it is the mean of their trials, weighted by
/// precision (inverse variance: a trial's own error and the scatter of trials from run to run,
/// trial::RunScatter). A trial that thrashes has not measured the speed of its size.
std::vector<MeasuredSize> measuredSizes(const Snapshot& snapshot);

/// Whether a trial of a size ran well, on its own or interleaved with others: one of this exploration, or a
/// recalled one, unless the size is known not to fit any more.
bool hasRun(const Snapshot& snapshot, std::int64_t microBatchSize);

} // namespace batchpeak::engine
