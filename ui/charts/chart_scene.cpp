// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_scene.h"

#include "snapshot/measured_sizes.h"
#include "text/comparison_text.h"
#include "text/fidelity_text.h"
#include "text/translated.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <set>

namespace batchpeak::ui {

namespace {

using engine::Snapshot;
using trial::Outcome;
using trial::TrialRecord;

/// Adds the size that made a trial fail.
void addFailure(ChartScene& scene, const TrialRecord& trial)
{
    if (trial.microBatchSize < 1)
        return;
    if (trial.outcome == Outcome::OutOfMemory)
        scene.outOfMemory.push_back(trial.microBatchSize);
    else if (trial.outcome != Outcome::Ok && trial.outcome != Outcome::Cancelled)
        scene.failed.push_back(trial.microBatchSize);
}

/// A remainder of up to a hundredth of a step is only the difference between a mean of sums and a sum of
/// means.
constexpr double minOtherShare = 0.01;

std::optional<StepPhases> phasesOf(const TrialRecord& trial)
{
    if (!trial.forwardSeconds || !trial.secondsPerStep)
        return std::nullopt;
    StepPhases phases{.forwardSeconds = *trial.forwardSeconds,
                      .backwardSeconds = trial.backwardSeconds.value_or(0.0),
                      .reductionSeconds = trial.reductionSeconds.value_or(0.0),
                      .optimizerSeconds = trial.optimizerSeconds.value_or(0.0)};
    const double other =
        *trial.secondsPerStep - phases.forwardSeconds - phases.backwardSeconds - phases.reductionSeconds;
    if (other > minOtherShare * *trial.secondsPerStep)
        phases.otherSeconds = other;
    return phases;
}

using Conversions = std::vector<engine::SpeedConversion>;

/// \param earlier  the same as in MeasuredPoint
void addTrial(ChartScene& scene, const TrialRecord& trial, const Conversions& conversions,
              const QString& earlier = {})
{
    if (trial.microBatchSize < 1)
        return;
    if (trial.isRunning()) {
        scene.running.push_back(trial.microBatchSize);
        return;
    }
    addFailure(scene, trial);
    if (trial.outcome != Outcome::Ok || !trial.samplesPerSecond)
        return;
    using Kind = MeasuredPoint::Kind;
    scene.points.push_back({.size = trial.microBatchSize,
                            .samplesPerSecond = *trial.samplesPerSecond,
                            .relativeError = trial.relativeError,
                            .peakBytes = static_cast<double>(trial.peakReservedBytes.value_or(0)),
                            .allocatedBytes = static_cast<double>(trial.peakAllocatedBytes.value_or(0)),
                            .phases = phasesOf(trial),
                            .steps = trial.timedSteps,
                            .kind = trial.thrashes          ? Kind::Thrashes
                                    : !trial.withinHeadroom ? Kind::AboveHeadroom
                                                            : Kind::Plain,
                            .disturbed = trial.disturbed,
                            .earlier = earlier});
    for (std::size_t i = 0; i < conversions.size(); ++i)
        scene.quantities[i].speeds.push_back(conversions[i].of(trial));
}

void addComparison(ChartScene& scene, const TrialRecord& trial, const Conversions& conversions)
{
    if (trial.isRunning()) {
        std::ranges::copy(engine::comparedSizes(trial), std::back_inserter(scene.running));
        return;
    }
    addFailure(scene, trial);
    // A trial that ended prematurely, but not because of a size, is ignored, whatever it has measured.
    const bool counts = trial.outcome == Outcome::Ok || trial.microBatchSize > 0;
    if (!counts || trial.thrashes)
        return;
    const auto contrast = trial::contrastOf(trial.compared);
    std::optional<double> relativeError;
    if (contrast && contrast->standardError)
        relativeError = *contrast->standardError / std::numbers::sqrt2;
    std::vector<std::int64_t> sizes;
    for (const trial::ComparedRecord& size : trial.compared) {
        if (size.microBatchSize < 1 || !size.samplesPerSecond)
            continue;
        sizes.push_back(size.microBatchSize);
        scene.points.push_back({.size = size.microBatchSize,
                                .samplesPerSecond = *size.samplesPerSecond,
                                .relativeError = relativeError,
                                .peakBytes = static_cast<double>(size.peakReservedBytes.value_or(0)),
                                .comparison = trial.number,
                                .disturbed = trial.disturbed});
        for (std::size_t i = 0; i < conversions.size(); ++i)
            scene.quantities[i].speeds.push_back(conversions[i].of(trial, size, relativeError));
    }
    std::ranges::sort(sizes);
    if (contrast)
        scene.comparisons.push_back(
            {.number = trial.number, .sizes = std::move(sizes), .contrast = *contrast});
}

void markNewest(std::vector<MeasuredPoint>& points)
{
    std::set<std::int64_t> seen;
    for (auto point = points.rbegin(); point != points.rend(); ++point)
        point->newest = seen.insert(point->size).second;
}

// Returns the unit of the memory chart. The limit counts only if it is drawn: with a limit of many GiB, peaks
// of some MiB would all read as 0.02.
engine::MemoryUnit unitFor(const ChartScene& scene)
{
    double largest = 0.0;
    for (const auto& point : scene.points)
        largest = std::max(largest, point.peakBytes);
    return engine::MemoryUnit::forBytes(scene.isLimitFarAbove(largest) ? largest
                                                                       : std::max(largest, scene.limitBytes));
}

} // namespace

const ComparedSizes* ChartScene::comparison(int number) const
{
    const auto found = std::ranges::find(comparisons, number, &ComparedSizes::number);
    return found == comparisons.end() ? nullptr : &*found;
}

const ComparedSizes* ChartScene::newestComparisonOf(std::int64_t size) const
{
    const auto found =
        std::find_if(comparisons.rbegin(), comparisons.rend(), [&](const ComparedSizes& compared) {
            return std::ranges::binary_search(compared.sizes, size);
        });
    return found == comparisons.rend() ? nullptr : &*found;
}

const MeasuredPoint* ChartScene::newestOf(std::int64_t size) const
{
    const auto found = std::ranges::find_if(
        points, [&](const MeasuredPoint& point) { return point.size == size && point.newest; });
    return found == points.end() ? nullptr : &*found;
}

const MeasuredPoint* ChartScene::phasesOf(std::int64_t size) const
{
    const auto found = std::find_if(points.rbegin(), points.rend(), [&](const MeasuredPoint& point) {
        return point.size == size && point.phases;
    });
    return found == points.rend() ? nullptr : &*found;
}

const ReckonedSize* ChartScene::reckonedOf(std::int64_t size) const
{
    const auto found = std::ranges::find(reckoned, size, &ReckonedSize::size);
    return found == reckoned.end() ? nullptr : &*found;
}

std::optional<double> ChartScene::valueOf(const ReckonedSize& size) const
{
    return modelFactor ? std::optional(size.samplesPerSecond * *modelFactor) : std::nullopt;
}

double ChartScene::halfIntervalOf(const ReckonedSize& size) const
{
    return engine::standardErrorsOf95Percent * size.relativeError.value_or(0.0) * valueOf(size).value_or(0.0);
}

std::optional<double> ChartScene::leadValue() const
{
    if (!lead)
        return std::nullopt;
    if (modelFactor)
        return lead->samplesPerSecond * *modelFactor;
    const auto found = std::find_if(points.rbegin(), points.rend(), [&](const MeasuredPoint& point) {
        return point.size == lead->size && point.value;
    });
    return found == points.rend() ? std::nullopt : found->value;
}

void ChartScene::showIn(engine::SpeedQuantity wanted)
{
    auto shown = std::ranges::find(quantities, wanted, &SceneQuantity::quantity);
    if (shown == quantities.end())
        shown = quantities.begin();
    if (shown == quantities.end())
        return;
    quantity = shown->quantity;
    modelFactor = shown->modelFactor;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto& speed = shown->speeds[i];
        points[i].value = speed ? std::optional(speed->value) : std::nullopt;
        points[i].valueError = speed ? speed->relativeError : std::nullopt;
    }
}

const SceneQuantity& ChartScene::shownQuantity() const
{
    return *std::ranges::find(quantities, quantity, &SceneQuantity::quantity);
}

bool ChartScene::isLimitFarAbove(double largestBytes) const
{
    constexpr double minShareOfLimit = 0.15;
    return largestBytes > 0.0 && largestBytes < minShareOfLimit * limitBytes;
}

ChartScene chartSceneOf(const Snapshot& snapshot)
{
    ChartScene scene;
    Conversions conversions;
    for (const engine::SpeedQuantity quantity : engine::toldQuantities(snapshot)) {
        const auto& conversion = conversions.emplace_back(snapshot, quantity);
        scene.quantities.push_back({.quantity = quantity,
                                    .explanation = engine::explanationText(quantity, snapshot),
                                    .modelFactor = conversion.factor()});
    }
    for (const engine::RecalledTrial& recalled : snapshot.recalled)
        addTrial(scene, recalled.trial, conversions, engine::dayAndTimeText(recalled.ended));
    for (const auto& trial : snapshot.trials)
        trial.isComparison() ? addComparison(scene, trial, conversions) : addTrial(scene, trial, conversions);
    markNewest(scene.points);
    for (const engine::MeasuredSize& size : engine::measuredSizes(snapshot)) {
        if (size.microBatchSize >= 1 && size.samplesPerSecond && scene.newestOf(size.microBatchSize))
            scene.reckoned.push_back({size.microBatchSize, *size.samplesPerSecond, size.relativeError});
    }
    for (const auto& point : snapshot.searchState.curve) {
        if (point.size >= 1.0)
            scene.curve.push_back({point.size, point.samplesPerSecond, point.low, point.high});
    }
    if (const auto& memory = snapshot.searchState.memory) {
        scene.constantBytes = memory->constantBytes;
        scene.bytesPerSample = memory->bytesPerSample;
    }
    if (const auto& allocated = snapshot.searchState.allocatedMemory)
        scene.allocatedBytesPerSample = allocated->bytesPerSample;
    if (const auto& recommendation = snapshot.searchState.recommendation;
        recommendation && recommendation->size >= 1) {
        scene.lead = {.size = recommendation->size,
                      .samplesPerSecond = recommendation->samplesPerSecond,
                      .peakBytes = static_cast<double>(snapshot.recommendedPeakBytes),
                      .recommended = snapshot.isRecommendationSure()};
    }
    scene.limitBytes = static_cast<double>(snapshot.minLimitBytes());
    scene.usableBytes = static_cast<double>(snapshot.minUsableBytes());
    scene.headroom = snapshot.run ? snapshot.run->headroom : 0.0;
    if (snapshot.run)
        scene.fidelity = snapshot.run->fidelity;
    scene.unit = unitFor(scene);
    if (snapshot.run && snapshot.run->hasBatch && snapshot.run->phase == model::Phase::Train)
        scene.batch = snapshot.run->plan.perDeviceBatch();
    scene.showIn(engine::SpeedQuantity::SamplesPerSecond);
    scene.memoryZones = snapshot.memoryZones();
    return scene;
}

AxisRange sizeRangeOf(const ChartScene& scene)
{
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    const auto take = [&](std::int64_t size) {
        smallest = std::min(smallest, static_cast<double>(size));
        largest = std::max(largest, static_cast<double>(size));
    };
    for (const auto& point : scene.points)
        take(point.size);
    std::ranges::for_each(scene.running, take);
    std::ranges::for_each(scene.outOfMemory, take);
    std::ranges::for_each(scene.failed, take);
    if (largest <= 0.0)
        return {};
    double end = largest * 1.15;
    if (scene.memoryZones.wall > 0.0)
        end = std::min(end, scene.memoryZones.wall * 2.2);
    return {.minimum = smallest * 0.87, .maximum = std::max(end, smallest * 4.6)};
}

QString throughputSummary(const ChartScene& scene)
{
    if (scene.points.empty())
        return engine::Translated::tr("No size is measured yet.");
    const bool lessIsBetter = scene.quantity == engine::SpeedQuantity::JoulesPerSample;
    std::vector<MeasuredPoint> told;
    std::ranges::copy_if(scene.points, std::back_inserter(told),
                         [](const MeasuredPoint& point) { return point.value.has_value(); });
    if (told.empty())
        return engine::Translated::tr("No size is measured in %1 yet.").arg(engine::unitText(scene.quantity));
    const auto [smallest, largest] =
        std::ranges::minmax(told, {}, [](const MeasuredPoint& point) { return point.size; });
    const auto& best = *std::ranges::max_element(
        told, {}, [&](const MeasuredPoint& point) { return lessIsBetter ? -*point.value : *point.value; });
    std::int64_t bestSize = best.size;
    double bestValue = *best.value;
    std::optional<double> bestError = best.valueError;
    if (scene.modelFactor && !scene.reckoned.empty()) {
        const auto& first = *std::ranges::max_element(scene.reckoned, {}, &ReckonedSize::samplesPerSecond);
        bestSize = first.size;
        bestValue = *scene.valueOf(first);
        bestError = first.relativeError;
    }
    QStringList sentences{
        (lessIsBetter
             ? engine::Translated::tr("%1 measurements of sizes %2 to %3; size %4 uses the least energy, %5.")
             : engine::Translated::tr("%1 measurements of sizes %2 to %3; the fastest is size %4 with %5."))
            .arg(told.size())
            .arg(smallest.size)
            .arg(largest.size)
            .arg(bestSize)
            .arg(engine::speedMark(scene.fidelity) +
                 engine::quantityText(scene.quantity, bestValue, bestError))};
    if (!scene.modelFactor && !scene.curve.empty())
        sentences
            << engine::Translated::tr("The model is not shown in %1.").arg(engine::unitText(scene.quantity));
    if (scene.lead)
        sentences << (scene.lead->recommended ? engine::Translated::tr("Recommended is size %1.")
                                              : engine::Translated::tr("Leading is size %1."))
                         .arg(scene.lead->size);
    if (!scene.comparisons.empty())
        sentences << engine::Translated::tr("Compared, %1.")
                         .arg(engine::contrastText(scene.comparisons.back().contrast));
    if (scene.running.size() == 1)
        sentences << engine::Translated::tr("Size %1 is running.").arg(scene.running.front());
    else if (!scene.running.empty())
        sentences << engine::Translated::tr("Sizes %1 are running.").arg(engine::sizesText(scene.running));
    if (!scene.outOfMemory.empty())
        sentences << engine::Translated::tr("Out of memory from size %1 on.")
                         .arg(*std::ranges::min_element(scene.outOfMemory));
    sentences << engine::fidelitySentence(scene.fidelity);
    return sentences.join(QLatin1Char(' '));
}

QString memorySummary(const ChartScene& scene)
{
    const QLocale locale;
    QStringList sentences;
    if (scene.limitBytes > 0.0)
        sentences << engine::Translated::tr("The device limit is %1.")
                         .arg(engine::memoryText(scene.limitBytes, locale));
    if (scene.points.empty())
        return (sentences << engine::Translated::tr("No peak memory is measured yet."))
            .join(QLatin1Char(' '));
    const auto& largest = *std::ranges::max_element(
        scene.points, {}, [](const MeasuredPoint& point) { return point.peakBytes; });
    sentences << engine::Translated::tr("The largest peak measured is %1 %2 at size %3.")
                     .arg(engine::memoryMark(scene.fidelity) +
                              engine::memoryText(largest.peakBytes, scene.unit, locale),
                          scene.unit.name)
                     .arg(largest.size);
    if (scene.bytesPerSample > 0.0 && scene.allocatedBytesPerSample > 0.0)
        sentences << engine::Translated::tr("A sample takes %1; the network itself uses %2 of that.")
                         .arg(engine::memoryText(scene.bytesPerSample, locale),
                              engine::memoryText(scene.allocatedBytesPerSample, locale));
    sentences << engine::fidelitySentence(scene.fidelity);
    if (scene.memoryZones.headroomFrom > 0.0)
        sentences << engine::Translated::tr("Sizes above about %1 reach into the headroom.")
                         .arg(static_cast<qint64>(scene.memoryZones.headroomFrom));
    return sentences.join(QLatin1Char(' '));
}

} // namespace batchpeak::ui
