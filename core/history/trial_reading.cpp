// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_reading.h"

#include "comparison_reading.h"
#include "text/readable_text.h"
#include "text/translated.h"
#include "trial/step_statistics.h"
#include "trial/trial_record.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace batchpeak::engine {

namespace {

using trial::Outcome;

std::optional<double> joulesPerSample(const trial::TrialResult& result)
{
    const double joules = result.readings.energyJoules.value_or(0.0);
    return joules > 0.0 && result.samples > 0 ? std::optional(joules / static_cast<double>(result.samples))
                                              : std::nullopt;
}

QString hostMemoryText(std::int64_t refusedBytes)
{
    const QString refused = refusedBytes > 0
                                ? Translated::tr("The computer's main memory ran out, not the device's: it "
                                                 "could not give %1 more.")
                                      .arg(bytesText(refusedBytes))
                                : Translated::tr("The computer's main memory ran out, not the device's.");
    return refused + QLatin1Char(' ') +
           Translated::tr("End other programs, or give the container more memory.");
}

/// Returns when the timed steps ended, including those of the optimizer.
std::optional<double> endOf(const trial::TrialResult& result)
{
    std::optional<double> end;
    if (result.clockSeconds && result.steps > 0) {
        const double timed = result.stepSeconds.empty()
                                 ? result.steps * result.secondsPerStep
                                 : std::reduce(result.stepSeconds.begin(), result.stepSeconds.end());
        end = *result.clockSeconds + timed + result.steps * result.optimizerSeconds.value_or(0.0);
    }
    for (const trial::ComparedSize& size : result.compared) {
        for (const trial::Visit& visit : size.visits)
            end = std::max(end.value_or(0.0), visit.clockSeconds + visit.seconds);
    }
    return end;
}

search::Measurement measurementOfOneSize(const trial::TrialRecord& trial, const trial::TrialResult& result,
                                         bool workerLost)
{
    search::Measurement measurement{.size = trial.microBatchSize,
                                    .outcome = workerLost ? Outcome::Crashed : *trial.outcome,
                                    .peakAllocatedBytes = result.peakAllocatedBytes,
                                    .peakReservedBytes = result.peakReservedBytes,
                                    .isVerification = trial.isVerification};
    if (measurement.ran()) {
        measurement.secondsPerStep = result.secondsPerStep;
        measurement.stepSeconds = result.stepSeconds;
        measurement.steps = result.steps;
        measurement.relativeError = result.relativeError;
        measurement.optimizerSeconds = result.optimizerSeconds.value_or(0.0);
        measurement.thrashes = trial.thrashes;
        measurement.abandoned = trial.abandoned;
        measurement.disturbed = trial.disturbed;
        measurement.contention = result.readings.contention.value_or(0.0);
    }
    return measurement;
}

} // namespace

trial::TrialResult onClock(trial::TrialResult result, double helloSeconds)
{
    if (result.clockSeconds)
        *result.clockSeconds += helloSeconds;
    for (trial::ComparedSize& size : result.compared) {
        for (trial::Visit& visit : size.visits)
            visit.clockSeconds += helloSeconds;
    }
    return result;
}

std::optional<std::int64_t> measuredPeak(std::int64_t bytes)
{
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

std::string spilledText(std::int64_t peakReservedBytes, const DeviceSnapshot& device)
{
    const auto [used, limit] = comparedBytesText(peakReservedBytes, device.limitBytes);
    return Translated::tr("It ran, but used %1 where the device has %2: the driver moved memory to the host.")
        .arg(used, limit)
        .toStdString();
}

void addStep(trial::TrialRecord& trial, const trial::Step& step, std::span<const double> stepSeconds,
             const RunDescription& run)
{
    if (step.phase == trial::StepPhase::Warmup) {
        ++trial.warmupSteps;
        return;
    }
    ++trial.timedSteps;
    if (trial.isComparison())
        return;
    trial.secondsPerStep = trial::typicalStepSeconds(stepSeconds);
    trial.relativeError = trial::relativeStandardError(stepSeconds);
    if (trial.secondsPerStep)
        trial.samplesPerSecond = samplesPerSecond(run, trial.microBatchSize, *trial.secondsPerStep, 0.0);
}

void finishTrial(trial::TrialRecord& trial, const trial::TrialResult& result,
                 std::span<const double> reported, const DeviceSnapshot& device, const RunDescription& run)
{
    trial.outcome = result.outcome;
    trial.text = result.text;
    trial.wallSeconds = result.wallSeconds;
    trial.peakAllocatedBytes = measuredPeak(result.peakAllocatedBytes);
    trial.peakReservedBytes = measuredPeak(result.peakReservedBytes);
    // Steps that are reported during a trial are signs of life, and may be reported twice.
    const bool isWhole = result.outcome == Outcome::Ok && result.steps > 0;
    trial.timedSteps = isWhole ? result.steps : std::max(trial.timedSteps, result.steps);
    trial.readings = result.readings;
    trial.attention = result.attention;
    trial.joulesPerSample = joulesPerSample(result);
    trial::addFlags(trial, result.flags);
    const bool saysThrashes = std::exchange(trial.thrashes, trial.thrashes || result.allocationRetries > 0);
    if (trial.thrashes && !saysThrashes)
        trial.flags.emplace_back(trial::flag::thrashes);
    if (trial.repetition > 0)
        trial.flags.emplace_back(trial::flag::repetition);
    if (trial.isVerification)
        trial.flags.emplace_back(trial::flag::verification);

    if (trial.outcome == Outcome::OutOfMemory && result.refusedHostBytes)
        trial.text = hostMemoryText(*result.refusedHostBytes).toStdString();
    if (trial.isComparison())
        return finishComparison(trial, result, device, run);

    const bool isOk = trial.outcome == Outcome::Ok;
    if (isOk && device.limitBytes > 0 && result.peakReservedBytes > device.limitBytes) {
        trial.outcome = Outcome::OutOfMemory;
        trial.text = spilledText(result.peakReservedBytes, device);
    } else if (isOk && device.usableBytes > 0 && result.peakReservedBytes > device.usableBytes) {
        trial.withinHeadroom = false;
        trial.flags.emplace_back(trial::flag::withinHeadroom);
    }
    if (result.secondsPerStep > 0) {
        trial.secondsPerStep = result.secondsPerStep;
        trial.forwardSeconds = result.forwardSeconds;
        trial.backwardSeconds = result.backwardSeconds;
        trial.optimizerSeconds = result.optimizerSeconds;
        trial.reductionSeconds = result.reductionSeconds;
        trial.relativeError = result.relativeError         ? result.relativeError
                              : result.stepSeconds.empty() ? trial::relativeStandardError(reported)
                                                           : trial::relativeStandardError(result.stepSeconds);
        trial.samplesPerSecond =
            samplesPerSecond(run, trial.microBatchSize, result.secondsPerStep,
                             result.optimizerSeconds.value_or(0.0), result.reductionSeconds.value_or(0.0));
    }
    if (trial.outcome != Outcome::Ok) {
        trial.samplesPerSecond.reset();
        trial.relativeError.reset();
        trial.joulesPerSample.reset();
    }
}

trial::TrialResult inObjective(trial::TrialResult result, search::Objective objective)
{
    if (objective != search::Objective::Effective || !result.reductionSeconds)
        return result;
    // A program in which the reduction takes as long as a whole micro-batch has measured noise.
    constexpr double leastShare = 0.01;
    const auto without = [reduction = *result.reductionSeconds](double seconds) {
        return std::max(seconds - reduction, leastShare * seconds);
    };
    result.secondsPerStep = without(result.secondsPerStep);
    std::ranges::transform(result.stepSeconds, result.stepSeconds.begin(), without);
    for (trial::ComparedSize& size : result.compared) {
        for (trial::Visit& visit : size.visits)
            std::ranges::transform(visit.stepSeconds, visit.stepSeconds.begin(), without);
    }
    result.optimizerSeconds = result.optimizerSeconds.value_or(0.0) + *result.reductionSeconds;
    return result;
}

search::Measurement measurementOf(const trial::TrialRecord& trial, const trial::TrialResult& result,
                                  bool workerLost, double now)
{
    search::Measurement measurement = trial.isComparison()
                                          ? measurementOfComparison(trial, result, workerLost)
                                          : measurementOfOneSize(trial, result, workerLost);
    measurement.wallSeconds = trial.wallSeconds;
    measurement.clockSeconds = endOf(result).value_or(now);
    return measurement;
}

double samplesPerSecond(const RunDescription& run, std::int64_t microBatchSize, double secondsPerStep,
                        double optimizerSeconds, double reductionSeconds)
{
    const auto processes = static_cast<double>(run.processes);
    if (run.objective == search::Objective::Micro)
        return processes * static_cast<double>(microBatchSize) / secondsPerStep;
    const auto steps = static_cast<double>(run.plan.accumulationSteps(microBatchSize));
    return processes * static_cast<double>(run.plan.perDeviceBatch()) /
           (steps * secondsPerStep - (steps - 1.0) * reductionSeconds + optimizerSeconds);
}

} // namespace batchpeak::engine
