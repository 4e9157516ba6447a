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

/// Time of each phase of a step at one size.
struct StepPhases
{
    /// Times of one micro-batch [s]; otherSeconds is the time that the program assigns to no phase.
    double forwardSeconds = 0.0;
    double backwardSeconds = 0.0;
    double otherSeconds = 0.0;
    /// Times of one optimizer step [s], of which the reduction of gradients between processes is a part; 0 if
    /// there is none.
    double reductionSeconds = 0.0;
    double optimizerSeconds = 0.0;
    bool operator==(const StepPhases&) const = default;
};

/// Measurement of a size by a finished trial.
struct MeasuredPoint
{
    enum class Kind {
        Plain,
        /// The trial ran, but above the headroom: not recommendable.
        AboveHeadroom,
        /// The trial ran only by flushing the cache repeatedly: not recommendable.
        Thrashes
    };
    std::int64_t size = 1;
    double samplesPerSecond = 0.0;
    /// For a size in a comparison: the error relative to the other sizes in it, without the part that the
    /// device did to all of them. The variance of a difference of two sizes is twice its square.
    std::optional<double> relativeError;
    /// The speed in the quantity that the scene is shown in; nothing if the trial does not give it.
    std::optional<double> value;
    std::optional<double> valueError;
    double peakBytes = 0.0;
    /// The part of peakBytes that the network itself held; 0 if unknown.
    double allocatedBytes = 0.0;
    std::optional<StepPhases> phases;
    /// Number of steps; 0 in a comparison, which counts visits.
    int steps = 0;
    /// Number of the trial that compared the size with others; 0 if it was measured alone.
    int comparison = 0;
    Kind kind = Kind::Plain;
    /// Whether something other than the size affected the measurement.
    bool disturbed = false;
    /// Whether no later trial measured this size.
    bool newest = true;
    /// Time at which an earlier exploration measured the size: "28 Nov, 14:09"; empty for a trial of this
    /// exploration.
    QString earlier = {};
    bool operator==(const MeasuredPoint&) const = default;

    /// Half the width of the 95 % interval, in the quantity shown; 0 if the error is unknown.
    double halfInterval() const
    {
        return engine::standardErrorsOf95Percent * valueError.value_or(0.0) * value.value_or(0.0);
    }
    /// Whether another measurement takes precedence, so that this one is drawn paler.
    bool isPale() const { return !newest || !earlier.isEmpty(); }
};

/// Sizes that were measured interleaved, which tells them apart better than single trials do.
struct ComparedSizes
{
    /// Number of the trial.
    int number = 0;
    /// The sizes that were measured, ascending.
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

/// Estimate of the speed of a size from all its trials: the same number that the table, the card and the
/// sentences show.
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
    /// Whether the confidence suffices to call the size recommended.
    bool recommended = false;
    bool operator==(const LeadingSize&) const = default;
};

/// A quantity in which the speeds of a scene can be shown.
struct SceneQuantity
{
    engine::SpeedQuantity quantity = engine::SpeedQuantity::SamplesPerSecond;
    /// Sentence for a tool tip.
    QString explanation;
    /// The same as in engine::SpeedConversion.
    std::optional<double> modelFactor;
    /// Speed of each point, in the order of the points.
    std::vector<std::optional<engine::SpeedConversion::Speed>> speeds;
    bool operator==(const SceneQuantity&) const = default;
};

/// What the two charts show of a Snapshot, and nothing else: while two scenes are equal there is nothing to
/// draw. Every size is at least 1, since a single smaller size would empty a logarithmic axis.
///
/// The scene has all measured points, several for a size that was tried several times: a mean would hide that
/// two trials disagree. Their combined estimate is stored beside them.
struct ChartScene
{
    std::vector<MeasuredPoint> points;
    /// Estimates of the measured sizes whose trials give a speed, ascending.
    std::vector<ReckonedSize> reckoned;
    /// Comparisons that tell sizes apart, in the order of their trials.
    std::vector<ComparedSizes> comparisons;
    /// Model curve in samples/s, whichever quantity is shown.
    std::vector<ModelPoint> curve;
    std::optional<LeadingSize> lead;
    /// The available quantities, samples/s first; and the one that is shown.
    std::vector<SceneQuantity> quantities;
    engine::SpeedQuantity quantity = engine::SpeedQuantity::SamplesPerSecond;
    /// Factor by which the model is multiplied to be shown; nothing if that would not be exact, and then no
    /// model is drawn.
    std::optional<double> modelFactor = 1.0;
    /// Number of samples of an optimizer step on one device; 0 if there is no such step, or its batch is
    /// unknown.
    std::int64_t batch = 0;
    std::vector<std::int64_t> running;
    std::vector<std::int64_t> outOfMemory;
    /// Trials that ended without a measurement for any other reason.
    std::vector<std::int64_t> failed;
    /// Line of the peak bytes over the size; no line while bytesPerSample is 0.
    double constantBytes = 0.0;
    double bytesPerSample = 0.0;
    /// The part of bytesPerSample that the network itself takes; 0 if unknown.
    double allocatedBytesPerSample = 0.0;
    /// Memory limit of the device with the least memory; 0 if unknown.
    double limitBytes = 0.0;
    double usableBytes = 0.0;
    double headroom = 0.0;
    engine::MemoryZones memoryZones;
    /// Fidelity of all measurements.
    config::Fidelity fidelity;
    engine::MemoryUnit unit;

    bool operator==(const ChartScene&) const = default;

    /// Returns the comparison with that number; null if there is none.
    const ComparedSizes* comparison(int number) const;
    /// Returns the newest comparison that measured this size; null if there is none.
    const ComparedSizes* newestComparisonOf(std::int64_t size) const;

    /// Returns null for a size that was not measured.
    const MeasuredPoint* newestOf(std::int64_t size) const;
    /// Returns the newest measurement of that size that gives its phases; null if there is none.
    const MeasuredPoint* phasesOf(std::int64_t size) const;
    /// Returns null for a size whose trials give no speed.
    const ReckonedSize* reckonedOf(std::int64_t size) const;
    /// Returns the estimate in the quantity shown; nothing if it cannot be converted.
    std::optional<double> valueOf(const ReckonedSize& size) const;
    /// Returns half the width of the 95 % interval, in the quantity shown.
    double halfIntervalOf(const ReckonedSize& size) const;
    /// Returns the value at which the leading size is marked; nothing if there is no leading size.
    std::optional<double> leadValue() const;
    /// Shows the speeds in \p wanted, or in samples/s if \p wanted is not available.
    void showIn(engine::SpeedQuantity wanted);
    /// Returns the quantity that is shown. The scene must be one of a Snapshot, which has at least one
    /// quantity.
    const SceneQuantity& shownQuantity() const;

    /// Whether peaks up to \p largestBytes would be flat on an axis that reaches the limit: then the axis of
    /// the memory chart spans only the peaks, and a text states the limit.
    bool isLimitFarAbove(double largestBytes) const;
};

ChartScene chartSceneOf(const engine::Snapshot& snapshot);

/// Returns the range of sizes that both charts of an exploration span: from the smallest size x 0.87 to the
/// least of the largest size x 1.15 and the wall x 2.2: far enough beyond the wall to see it, not so far that
/// it fills the chart. The range spans at least two doublings, so that a single size has an axis.
AxisRange sizeRangeOf(const ChartScene& scene);

/// Describes a chart in sentences, for users who cannot see it.
QString throughputSummary(const ChartScene& scene);
QString memorySummary(const ChartScene& scene);

} // namespace batchpeak::ui
