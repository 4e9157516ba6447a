// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "axis_scales.h"
#include "engine/readable_text.h"
#include "engine/snapshot.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::ui {

/// What a finished trial measured of a size.
struct MeasuredPoint
{
    enum class Kind {
        Plain,
        /// Ran, but above the headroom: not recommendable.
        AboveHeadroom,
        /// Ran only by flushing the cache again and again: not recommendable.
        Thrashes
    };
    std::int64_t size = 1;
    double samplesPerSecond = 0.0;
    /// Of a size in a comparison the error against the others of it, in which what the device did to all of
    /// them has no part: a difference of two has it twice in its square.
    std::optional<double> relativeError;
    double peakBytes = 0.0;
    /// 0 in a comparison, which counts visits.
    int steps = 0;
    /// Number of the trial that compared it with others; 0 where it was measured alone.
    int comparison = 0;
    Kind kind = Kind::Plain;
    /// Something else than the size moved it.
    bool disturbed = false;
    /// No later trial measured this size.
    bool newest = true;
    bool operator==(const MeasuredPoint&) const = default;

    /// Of the 95 % interval, half of its width [samples/s]; 0 where the error is not known.
    double halfInterval() const
    {
        return engine::standardErrorsOf95Percent * relativeError.value_or(0.0) * samplesPerSecond;
    }
};

/// Sizes that were measured in turn, so that they can be told from each other better than those of single
/// trials.
struct ComparedSizes
{
    /// Of the trial.
    int number = 0;
    /// Those that were measured, ascending.
    std::vector<std::int64_t> sizes;
    /// "28 is 1.3 % ± 0.4 faster than 24"
    QString contrast;
    bool operator==(const ComparedSizes&) const = default;
};

struct ModelPoint
{
    double size = 1.0;
    double samplesPerSecond = 0.0;
    double low = 0.0;
    double high = 0.0;
    bool operator==(const ModelPoint&) const = default;
};

struct LeadingSize
{
    std::int64_t size = 1;
    double samplesPerSecond = 0.0;
    double peakBytes = 0.0;
    /// Confident enough to be called recommended.
    bool recommended = false;
    bool operator==(const LeadingSize&) const = default;
};

/// What the two charts show of a Snapshot, and nothing else: as long as two scenes are equal there is
/// nothing to draw. Every size is at least 1, since one size below would empty a logarithmic axis.
///
/// All measured points are in it, several for a size that was tried several times: a mean would hide
/// that two trials disagree.
struct ChartScene
{
    std::vector<MeasuredPoint> points;
    /// In the order of their trials; only those that tell sizes apart.
    std::vector<ComparedSizes> comparisons;
    std::vector<ModelPoint> curve;
    std::optional<LeadingSize> lead;
    std::vector<std::int64_t> running;
    std::vector<std::int64_t> outOfMemory;
    /// Trials that ended without a measurement for any other reason.
    std::vector<std::int64_t> failed;
    /// Peak bytes by size; no line while bytesPerSample is 0.
    double constantBytes = 0.0;
    double bytesPerSample = 0.0;
    /// Of that, what the network itself takes; 0 where it is not told.
    double allocatedBytesPerSample = 0.0;
    /// Of the device with the least; 0 when unknown.
    double limitBytes = 0.0;
    double usableBytes = 0.0;
    double headroom = 0.0;
    engine::MemoryZones memoryZones;
    engine::MemoryUnit unit;

    bool operator==(const ChartScene&) const = default;

    /// The comparison of that number; null without one.
    const ComparedSizes* comparison(int number) const;
    /// The newest that measured this size; null without one.
    const ComparedSizes* newestComparisonOf(std::int64_t size) const;

    /// Whether peaks up to these would lie flat on an axis that reaches the limit: then the memory chart
    /// shows them alone, and the limit is only named.
    bool isLimitFarAbove(double largestBytes) const;
};

ChartScene chartSceneOf(const engine::Snapshot& snapshot);

/// The sizes that both charts of an exploration span: from the smallest size x 0.87 to the least of the
/// largest size x 1.15 and the wall x 2.2: far enough behind the wall to see it, not so far that it fills the
/// chart. At least two doublings, so that one single size has an axis to stand on.
AxisRange sizeRangeOf(const ChartScene& scene);

/// What a chart shows, in sentences, for those who do not see it.
QString throughputSummary(const ChartScene& scene);
QString memorySummary(const ChartScene& scene);

} // namespace batchpeak::ui
