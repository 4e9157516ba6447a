// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"
#include "snapshot/snapshot.h"
#include "trial/protocol.h"
#include "trial/trial_record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace batchpeak::engine {

/// A finished trial as it is shown, and what the search is to be told of it.
struct TrialReading
{
    trial::TrialRecord trial;
    search::Measurement measurement;
};

/// Converts the times of a result to another clock: those of the visits, and of the timed steps.
/// \param helloSeconds  time at which the worker said hello, on that other clock [s]
trial::TrialResult onClock(trial::TrialResult result, double helloSeconds);

/// Adds a step to a running trial.
/// \param stepSeconds  times of all its timed steps so far, including \p step
void addStep(trial::TrialRecord& trial, const trial::Step& step, std::span<const double> stepSeconds,
             const RunDescription& run);

/// Ends a trial according to its result, with two corrections that only the parent can make: a peak above the
/// memory of the device counts as out of memory even if nothing failed (drivers that spill to host memory),
/// and a peak above the headroom is marked.
/// \param reported  times of the timed steps as they were reported one by one [s]; they give the spread if
///                  the result does not
void finishTrial(trial::TrialRecord& trial, const trial::TrialResult& result,
                 std::span<const double> reported, const DeviceSnapshot& device, const RunDescription& run);

/// Moves the time that processes take to reduce their gradients to where the objective counts it: the
/// reduction is part of a micro-batch, or, if whole optimizer steps are maximized, of the optimizer's time.
trial::TrialResult inObjective(trial::TrialResult result, search::Objective objective);

/// Returns what the search is told of a finished trial. For the search, a lost worker is a crash, even one
/// that fell silent; a Timeout that the worker itself reports excludes the size, but none of those that were
/// compared. The time of a trial is the end of its timed steps if the worker reports when they began.
/// \param result  with clocks that count from the start of the exploration
/// \param workerLost  as in DeviceRunner::trialEnded
/// \param now  time since the start of the exploration [s]
search::Measurement measurementOf(const trial::TrialRecord& trial, const trial::TrialResult& result,
                                  bool workerLost, double now);

/// Returns the peak that a worker reported or the search was told; nothing for 0, which means that none is
/// known.
std::optional<std::int64_t> measuredPeak(std::int64_t bytes);

/// Returns the text for a size that ran, but needed more than the device has.
std::string spilledText(std::int64_t peakReservedBytes, const DeviceSnapshot& device);

/// Returns the throughput [samples/s] by the objective, from the times of one micro-batch and of the
/// optimizer step. For Effective, every micro-batch of the step counts as full size, as most are.
/// \param reductionSeconds  as in trial::TrialRecord
double samplesPerSecond(const RunDescription& run, std::int64_t microBatchSize, double secondsPerStep,
                        double optimizerSeconds, double reductionSeconds = 0.0);

} // namespace batchpeak::engine
