// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "axis_scales.h"
#include "snapshot/snapshot.h"
#include "snapshot/speed_quantity.h"
#include "text/readable_text.h"
#include "trial/contrast.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::ui {

/// Where the time of a size goes.
struct StepPhases
{
    /// Of one micro-batch [s]; other is what the program tells no part of.
    double forwardSeconds = 0.0;
    double backwardSeconds = 0.0;
    double otherSeconds = 0.0;
    /// Of one optimizer step, its all-reduce among it [s]; 0 where there is none.
    double optimizerSeconds = 0.0;
    bool operator==(const StepPhases&) const = default;
};

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
    /// In the quantity that the scene is shown in; nothing where the trial does not tell it.
    std::optional<double> value;
    std::optional<double> valueError;
    double peakBytes = 0.0;
    /// Of that, what the network itself held; 0 where it is not told.
    double allocatedBytes = 0.0;
    std::optional<StepPhases> phases;
    /// 0 in a comparison, which counts visits.
    int steps = 0;
    /// Number of the trial that compared it with others; 0 where it was measured alone.
    int comparison = 0;
    Kind kind = Kind::Plain;
    /// Something else than the size moved it.
    bool disturbed = false;
    /// No later trial measured this size.
    bool newest = true;
    /// When an earlier exploration measured it: "28 Nov, 14:09"; empty for a trial of this one.
    QString earlier = {};
    bool operator==(const MeasuredPoint&) const = default;

    /// Of the 95 % interval, half of its width, in the quantity shown; 0 where the error is not known.
    double halfInterval() const
    {
        return engine::standardErrorsOf95Percent * valueError.value_or(0.0) * value.value_or(0.0);
    }
    /// Another one counts before it, so that it is drawn paler.
    bool isPale() const { return !newest || !earlier.isEmpty(); }
};

/// Sizes that were measured in turn, so that they can be told from each other better than those of single
/// trials.
struct ComparedSizes
{
    /// Of the trial.
    int number = 0;
    /// Those that were measured, ascending.
    std::vector<std::int64_t> sizes;
    trial::Contrast contrast;
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

/// What all trials of a size say of its speed together: the one number that the table, the card and the
/// sentences have of it as well.
struct ReckonedSize
{
    std::int64_t size = 1;
    double samplesPerSecond = 0.0;
    /// Standard error relative to the value.
    std::optional<double> relativeError;
    bool operator==(const ReckonedSize&) const = default;
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

/// A quantity that the speeds of a scene can be shown in.
struct SceneQuantity
{
    engine::SpeedQuantity quantity = engine::SpeedQuantity::SamplesPerSecond;
    /// A sentence for a tool tip.
    QString explanation;
    /// As of engine::SpeedConversion.
    std::optional<double> modelFactor;
    /// In the order of the points.
    std::vector<std::optional<engine::SpeedConversion::Speed>> speeds;
    bool operator==(const SceneQuantity&) const = default;
};

/// What the two charts show of a Snapshot, and nothing else: as long as two scenes are equal there is
/// nothing to draw. Every size is at least 1, since one size below would empty a logarithmic axis.
///
/// All measured points are in it, several for a size that was tried several times: a mean would hide
/// that two trials disagree. What they say together stands beside them.
struct ChartScene
{
    std::vector<MeasuredPoint> points;
    /// Ascending; of those measured sizes whose trials tell a speed.
    std::vector<ReckonedSize> reckoned;
    /// In the order of their trials; only those that tell sizes apart.
    std::vector<ComparedSizes> comparisons;
    /// In samples/s, whatever is shown.
    std::vector<ModelPoint> curve;
    std::optional<LeadingSize> lead;
    /// Those that can be told, samples/s first; and the one that is shown.
    std::vector<SceneQuantity> quantities;
    engine::SpeedQuantity quantity = engine::SpeedQuantity::SamplesPerSecond;
    /// By what the model is multiplied to be shown; nothing where that would not be exact, so that no model
    /// is drawn.
    std::optional<double> modelFactor = 1.0;
    /// Samples of an optimizer step on one device; 0 where there is no such step, or nobody knows its batch.
    std::int64_t batch = 0;
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
    /// Of all that is measured.
    config::Fidelity fidelity;
    engine::MemoryUnit unit;

    bool operator==(const ChartScene&) const = default;

    /// The comparison of that number; null without one.
    const ComparedSizes* comparison(int number) const;
    /// The newest that measured this size; null without one.
    const ComparedSizes* newestComparisonOf(std::int64_t size) const;

    /// Null for a size that was not measured.
    const MeasuredPoint* newestOf(std::int64_t size) const;
    /// The newest measurement of that size that tells its phases; null without one.
    const MeasuredPoint* phasesOf(std::int64_t size) const;
    /// Null for a size whose trials tell no speed.
    const ReckonedSize* reckonedOf(std::int64_t size) const;
    /// In the quantity shown; nothing where it cannot be told in that.
    std::optional<double> valueOf(const ReckonedSize& size) const;
    /// Of the 95 % interval, half of its width, in the quantity shown.
    double halfIntervalOf(const ReckonedSize& size) const;
    /// The value at which the leading size is marked; nothing without one.
    std::optional<double> leadValue() const;
    /// Shows the speeds in \p wanted, or where that cannot be told, in samples/s.
    void showIn(engine::SpeedQuantity wanted);
    /// Of a scene of a Snapshot, which tells one at least.
    const SceneQuantity& shownQuantity() const;

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
