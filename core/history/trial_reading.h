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

/// A finished trial as it is shown, and as the search would be told of it.
struct TrialReading
{
    trial::TrialRecord trial;
    search::Measurement measurement;
};

/// The same result with its clocks on another one: those of the visits, and of the timed steps.
/// \param helloSeconds  when the worker said hello, on that other clock [s]
trial::TrialResult onClock(trial::TrialResult result, double helloSeconds);

/// Counts a step into a running trial.
/// \param stepSeconds  of all its timed steps so far, \p step among them
void addStep(trial::TrialRecord& trial, const trial::Step& step, std::span<const double> stepSeconds,
             const RunDescription& run);

/// Ends a trial as its result says, with two corrections that only the parent can make: a peak above what
/// the device has is out of memory even when nothing failed (drivers that spill to host memory), and a
/// peak above the headroom is marked.
/// \param reported  seconds of the timed steps as they were reported one by one; they tell the spread
///                  where the result does not
void finishTrial(trial::TrialRecord& trial, const trial::TrialResult& result,
                 std::span<const double> reported, const DeviceSnapshot& device, const RunDescription& run);

/// What the search is told of a finished trial.
/// A lost worker is a crash to it, also one that fell silent; a Timeout that the worker itself reports
/// rules the size out, but none of those that were compared. A trial ends with its timed steps where the
/// worker tells when they began.
/// \param result  its clocks count from the start of the exploration
/// \param workerLost  as of DeviceRunner::trialEnded
/// \param now  since the start of the exploration [s]
search::Measurement measurementOf(const trial::TrialRecord& trial, const trial::TrialResult& result,
                                  bool workerLost, double now);

/// The peak that a worker tells, or the search was told; nothing where it is 0, which says that none is
/// known.
std::optional<std::int64_t> measuredPeak(std::int64_t bytes);

/// Says of a size that it ran, but needed more than the device has.
std::string spilledText(std::int64_t peakReservedBytes, const DeviceSnapshot& device);

/// Throughput [samples/s] by the objective, from the time of one micro-batch and of the optimizer step.
/// For Effective it reckons every micro-batch of the step at full size, as most are.
double samplesPerSecond(const RunDescription& run, std::int64_t microBatchSize, double secondsPerStep,
                        double optimizerSeconds);

} // namespace batchpeak::engine
