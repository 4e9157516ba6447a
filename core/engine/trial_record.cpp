// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_record.h"

#include "readable_text.h"
#include "trial/step_statistics.h"
#include "trial/trial_flags.h"

#include <QCoreApplication>

#include <algorithm>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::TrialRecord)
};

TrialState stateOf(trial::Outcome outcome)
{
    switch (outcome) {
    case trial::Outcome::Ok:
        return TrialState::Ok;
    case trial::Outcome::OutOfMemory:
        return TrialState::OutOfMemory;
    case trial::Outcome::Unsupported:
        return TrialState::Unsupported;
    case trial::Outcome::Failed:
        return TrialState::Failed;
    case trial::Outcome::Timeout:
        return TrialState::Timeout;
    case trial::Outcome::Cancelled:
        return TrialState::Cancelled;
    case trial::Outcome::Crashed:
        break;
    }
    return TrialState::Crashed;
}

std::optional<std::int64_t> ifPositive(std::int64_t bytes)
{
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

QString word(std::string_view flag)
{
    return QString::fromUtf8(flag.data(), static_cast<qsizetype>(flag.size()));
}

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

} // namespace

TrialSnapshot startedTrial(const trial::TrialRequest& request, const TrialStart& start)
{
    return {.number = static_cast<int>(request.id),
            .device = start.device,
            .microBatchSize = request.microBatchSize,
            .predictedFit = start.predictedFit,
            .repetition = start.repetition,
            .isVerification = start.isVerification};
}

void addStep(TrialSnapshot& trial, const trial::Step& step, std::span<const double> stepSeconds,
             const RunDescription& run)
{
    if (step.phase == trial::StepPhase::Warmup) {
        ++trial.warmupSteps;
        return;
    }
    ++trial.timedSteps;
    trial.secondsPerStep = trial::typicalStepSeconds(stepSeconds);
    trial.relativeError = trial::relativeStandardError(stepSeconds);
    if (trial.secondsPerStep)
        trial.samplesPerSecond = samplesPerSecond(run, trial.microBatchSize, *trial.secondsPerStep, 0.0);
}

void finishTrial(TrialSnapshot& trial, const trial::TrialResult& result, std::span<const double> reported,
                 const DeviceSnapshot& device, const RunDescription& run)
{
    trial.state = stateOf(result.outcome);
    trial.text = QString::fromStdString(result.text);
    trial.wallSeconds = result.wallSeconds;
    trial.peakAllocatedBytes = ifPositive(result.peakAllocatedBytes);
    trial.peakReservedBytes = ifPositive(result.peakReservedBytes);
    trial.timedSteps = std::max(trial.timedSteps, result.steps);
    trial.readings = result.readings;
    trial.joulesPerSample = joulesPerSample(result);
    const bool saysThrashes = trial::hasFlag(result.flags, trial::flag::thrashes);
    trial.thrashes = result.allocationRetries > 0 || saysThrashes;
    trial.abandoned = trial::hasFlag(result.flags, trial::flag::abandoned);
    trial.disturbed = trial::hasFlag(result.flags, trial::flag::disturbed);
    for (const std::string& flag : result.flags)
        trial.flags.append(QString::fromStdString(flag));
    if (trial.thrashes && !saysThrashes)
        trial.flags.append(word(trial::flag::thrashes));
    if (trial.repetition > 0)
        trial.flags.append(word(trial::flag::repetition));
    if (trial.isVerification)
        trial.flags.append(word(trial::flag::verification));

    if (trial.state == TrialState::OutOfMemory && result.refusedHostBytes)
        trial.text = hostMemoryText(*result.refusedHostBytes);

    const bool isOk = trial.state == TrialState::Ok;
    if (isOk && device.limitBytes > 0 && result.peakReservedBytes > device.limitBytes) {
        trial.state = TrialState::OutOfMemory;
        trial.text = Translated::tr(
                         "It ran, but used %1 where the device has %2: the driver moved memory to the host.")
                         .arg(bytesText(result.peakReservedBytes), bytesText(device.limitBytes));
    } else if (isOk && device.usableBytes > 0 && result.peakReservedBytes > device.usableBytes) {
        trial.withinHeadroom = false;
        trial.flags.append(word(trial::flag::withinHeadroom));
    }
    if (result.secondsPerStep > 0) {
        trial.secondsPerStep = result.secondsPerStep;
        trial.optimizerSeconds = result.optimizerSeconds;
        trial.relativeError = result.relativeError         ? result.relativeError
                              : result.stepSeconds.empty() ? trial::relativeStandardError(reported)
                                                           : trial::relativeStandardError(result.stepSeconds);
        trial.samplesPerSecond = samplesPerSecond(run, trial.microBatchSize, result.secondsPerStep,
                                                  result.optimizerSeconds.value_or(0.0));
    }
    if (trial.state != TrialState::Ok) {
        trial.samplesPerSecond.reset();
        trial.relativeError.reset();
        trial.joulesPerSample.reset();
    }
}

search::Measurement measurementOf(const TrialSnapshot& trial, const trial::TrialResult& result,
                                  double clockSeconds)
{
    using Outcome = search::Measurement::Outcome;
    search::Measurement measurement{.size = trial.microBatchSize,
                                    .peakAllocatedBytes = result.peakAllocatedBytes,
                                    .peakReservedBytes = result.peakReservedBytes,
                                    .isVerification = trial.isVerification,
                                    .wallSeconds = trial.wallSeconds,
                                    .clockSeconds = clockSeconds};
    switch (trial.state) {
    case TrialState::Ok:
        measurement.outcome = Outcome::Ok;
        measurement.secondsPerStep = result.secondsPerStep;
        measurement.stepSeconds = result.stepSeconds;
        measurement.steps = result.steps;
        measurement.relativeError = result.relativeError;
        measurement.optimizerSeconds = result.optimizerSeconds.value_or(0.0);
        measurement.thrashes = trial.thrashes;
        measurement.abandoned = trial.abandoned;
        measurement.disturbed = trial.disturbed;
        break;
    case TrialState::OutOfMemory:
    case TrialState::Unsupported:
    case TrialState::Timeout:
        measurement.outcome = Outcome::DoesNotFit;
        break;
    case TrialState::Running:
    case TrialState::Failed:
    case TrialState::Cancelled:
    case TrialState::Crashed:
        measurement.outcome = Outcome::Void;
        break;
    }
    return measurement;
}

double samplesPerSecond(const RunDescription& run, std::int64_t microBatchSize, double secondsPerStep,
                        double optimizerSeconds)
{
    if (run.objective == search::Objective::Micro)
        return static_cast<double>(microBatchSize) / secondsPerStep;
    const auto steps = static_cast<double>(run.plan.accumulationSteps(microBatchSize));
    return static_cast<double>(run.plan.perDeviceBatch()) / (steps * secondsPerStep + optimizerSeconds);
}

trial::Outcome outcomeOf(TrialState state)
{
    switch (state) {
    case TrialState::Ok:
        return trial::Outcome::Ok;
    case TrialState::OutOfMemory:
        return trial::Outcome::OutOfMemory;
    case TrialState::Unsupported:
        return trial::Outcome::Unsupported;
    case TrialState::Timeout:
        return trial::Outcome::Timeout;
    case TrialState::Cancelled:
        return trial::Outcome::Cancelled;
    case TrialState::Crashed:
        return trial::Outcome::Crashed;
    case TrialState::Running:
    case TrialState::Failed:
        break;
    }
    return trial::Outcome::Failed;
}

} // namespace batchpeak::engine
