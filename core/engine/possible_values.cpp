// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "possible_values.h"

#include "options/option_values.h"
#include "trial/protocol.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::engine {

namespace {

using trial::longestSeconds;
using trial::maxBytes;

bool isSizeOrNone(std::int64_t size)
{
    return 0 <= size && size <= largestCount;
}

bool isSizeShown(std::int64_t size)
{
    return 0 < size && size <= largestCount;
}

bool isInRange(double value, double min, double max)
{
    return min <= value && value <= max;
}

bool isShare(double value)
{
    // A sum of shares may be rounded.
    constexpr double rounding = 1e-6;
    return isInRange(value, -rounding, 1.0 + rounding);
}

/// Whether a ratio of speeds is possible: an expected loss counts from the slower one, and has no upper
/// bound.
bool isRatio(double value)
{
    return isInRange(value, 0.0, 1e15);
}

bool isSpeed(double samplesPerSecond)
{
    return isInRange(samplesPerSecond, 0.0, 1e15);
}

bool isTime(double seconds)
{
    return isInRange(seconds, 0.0, longestSeconds);
}

bool isMemory(std::int64_t bytes)
{
    return 0 <= bytes && bytes <= maxBytes;
}

bool areSizes(const std::vector<std::int64_t>& sizes)
{
    return sizes.size() <= mostPoints && std::ranges::all_of(sizes, isSizeShown);
}

template<typename Value>
bool arePossible(const std::vector<Value>& values)
{
    return values.size() <= mostPoints &&
           std::ranges::all_of(values, [](const Value& value) { return isPossible(value); });
}

template<typename Value>
bool isPossibleOrNone(const std::optional<Value>& value)
{
    return !value || isPossible(*value);
}

} // namespace

bool isPossible(const trial::ComparedRecord& size)
{
    return isSizeShown(size.microBatchSize) && isSpeed(size.samplesPerSecond.value_or(0.0)) &&
           isSpeed(size.relativeError.value_or(0.0)) && isTime(size.secondsPerStep.value_or(0.0)) &&
           isMemory(size.peakReservedBytes.value_or(0)) && size.visits.size() <= mostPoints &&
           std::ranges::all_of(size.visits, [](const trial::VisitRecord& visit) {
               return isTime(visit.beginSeconds) && isSpeed(visit.samplesPerSecond);
           });
}

bool isPossible(const trial::TrialRecord& trial)
{
    return 0 <= trial.number && trial.number <= mostTrials && isSizeOrNone(trial.microBatchSize) &&
           (trial.isComparison() || trial.microBatchSize > 0) && isSizeOrNone(trial.against) &&
           arePossible(trial.compared) && isSpeed(trial.samplesPerSecond.value_or(0.0)) &&
           isSpeed(trial.relativeError.value_or(0.0)) && isTime(trial.secondsPerStep.value_or(0.0)) &&
           isMemory(trial.peakAllocatedBytes.value_or(0)) && isMemory(trial.peakReservedBytes.value_or(0)) &&
           trial.warmupSteps >= 0 && trial.timedSteps >= 0 && trial.visits >= 0 &&
           isTime(trial.wallSeconds) && isShare(trial.predictedFit) && trial.repetition >= 0 &&
           isSpeed(std::abs(trial.joulesPerSample.value_or(0.0)));
}

bool isPossible(const RecalledTrial& recalled)
{
    return isPossible(recalled.trial);
}

bool isPossible(const search::SizeEstimate& estimate)
{
    return isSizeShown(estimate.size) && isSpeed(estimate.samplesPerSecond) &&
           isSpeed(estimate.relativeError) && isShare(estimate.probabilityWithin);
}

bool isPossible(const search::CurvePoint& point)
{
    return isInRange(point.size, 1.0, static_cast<double>(largestCount)) && isSpeed(point.samplesPerSecond) &&
           isSpeed(point.low) && isSpeed(point.high);
}

bool isPossible(const search::Contender& contender)
{
    return isSizeShown(contender.size) && isShare(contender.probability);
}

bool isPossible(const search::MemoryLine& line)
{
    constexpr auto most = static_cast<double>(maxBytes);
    return isInRange(line.constantBytes, -most, most) && isInRange(line.bytesPerSample, -most, most);
}

bool isPossible(const search::Estimate& estimate)
{
    return isRatio(estimate.likely) && isRatio(estimate.low) && isRatio(estimate.high);
}

bool isPossible(const search::Recommendation& recommendation)
{
    return isSizeShown(recommendation.size) && isSpeed(recommendation.samplesPerSecond) &&
           isSpeed(recommendation.relativeError) && isSpeed(recommendation.relativePerformance) &&
           isInRange(recommendation.confidence, 1, 99) && isRatio(recommendation.expectedLoss) &&
           isSizeOrNone(recommendation.smallestWithinTolerance) &&
           areSizes(recommendation.reason.comparedNext);
}

bool isPossible(const search::SearchState& state)
{
    const auto& forecast = state.forecast;
    return isPossibleOrNone(state.recommendation) && arePossible(state.estimates) &&
           arePossible(state.curve) && std::ranges::is_sorted(state.curve, {}, &search::CurvePoint::size) &&
           isPossibleOrNone(state.memory) && isPossibleOrNone(state.allocatedMemory) &&
           isSizeOrNone(state.largestPredictedFit) && isSizeOrNone(state.smallestFailure) &&
           isInRange(state.expectedTrials, 0, mostTrials) && isInRange(state.recalledTrials, 0, mostTrials) &&
           arePossible(state.contenders) && isShare(state.otherContenders) && areSizes(state.excluded) &&
           (!state.next || areSizes(state.next->sizes)) && isSpeed(std::abs(state.speedLimit.jump)) &&
           isSizeOrNone(state.speedLimit.period) &&
           (!forecast || (isPossible(forecast->trials) && isPossibleOrNone(forecast->seconds)));
}

bool isPossible(const RunDescription& run)
{
    return isMemory(run.parameters) && isMemory(run.frozenParameters) &&
           isSizeShown(run.plan.globalBatchSize) && isSizeShown(run.plan.devices) &&
           isSizeShown(run.processes) && isSizeShown(run.plan.presentSize.value_or(1)) &&
           isShare(run.tolerance) && isInRange(run.targetConfidence, 0.0, 2.0) && isShare(run.headroom) &&
           run.maxTrials >= 0 && isTime(run.budgetSeconds.value_or(0.0)) &&
           isInRange(run.tokensPerSample, 0.0, 1e12) &&
           isInRange(run.flopsPerSample.value_or(0.0), 0.0, 1e30) && isMemory(run.sequenceLength);
}

bool isPossible(const trial::Link& link)
{
    return isInRange(link.processes, 1, largestCount) && isTime(link.alphaSeconds) &&
           isTime(link.betaSecondsPerByte) && isSpeed(link.relativeError);
}

bool isPossible(const DeviceSnapshot& device)
{
    return isPossibleOrNone(device.link) && !device.id.isEmpty() && isMemory(device.totalBytes) &&
           isMemory(device.heldByOthersBytes) && isMemory(device.limitBytes) &&
           isMemory(device.usableBytes) && isMemory(device.baselineBytes) &&
           isShare(device.contention.disturbedShare) && isMemory(device.telemetry.usedBytes.value_or(0));
}

bool isPossible(const CoursePoint& point)
{
    return isTime(point.elapsedSeconds) && isInRange(point.trials, 0, mostTrials) &&
           isSizeOrNone(point.size) && isInRange(point.confidence, 1, 99) && isRatio(point.expectedLoss) &&
           isSpeed(point.samplesPerSecond);
}

bool isPossible(const TrialPlan& plan)
{
    return areSizes(plan.sizes) && !plan.sizes.empty() && isSizeOrNone(plan.against);
}

bool isPossible(const PredictedSize& size)
{
    return isSizeShown(size.microBatchSize) && isSizeOrNone(size.accumulationSteps) &&
           isSpeed(size.samplesPerSecond) && isSpeed(size.relativeError);
}

bool isPossible(const Snapshot& snapshot)
{
    const bool isAtEnd = snapshot.state == State::Finished || snapshot.state == State::Failed;
    return isAtEnd == snapshot.finish.has_value() &&
           (snapshot.state != State::Verifying || snapshot.verification) && isPossibleOrNone(snapshot.run) &&
           snapshot.devices.size() <= mostDevices && snapshot.places.size() <= mostDevices &&
           arePossible(snapshot.devices) && arePossible(snapshot.recalled) &&
           isPossible(snapshot.searchState) && arePossible(snapshot.underWay) &&
           isPossibleOrNone(snapshot.next) && areSizes(snapshot.askedSizes) &&
           isMemory(snapshot.recommendedPeakBytes) && isSizeOrNone(snapshot.accumulationSteps) &&
           (!snapshot.verification || isSizeShown(snapshot.verification->size)) &&
           arePossible(snapshot.predictedSizes) && isShare(snapshot.progress) &&
           isPossibleOrNone(snapshot.timeLeft) && isTime(snapshot.elapsedSeconds) &&
           isTime(snapshot.stalledSeconds) && isTime(snapshot.thinkingSeconds.value_or(0.0));
}

} // namespace batchpeak::engine
