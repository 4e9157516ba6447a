// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "comparison.h"
#include "model/enum_names.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::trial {

using model::fromText;
using model::toText;

/// How a trial ended. A worker reports all but Crashed, which its parent reports for a worker that died.
enum class Outcome { Ok, OutOfMemory, Unsupported, Failed, Timeout, Cancelled, Crashed };

constexpr model::EnumNames<Outcome, 7> wordsOf(Outcome)
{
    return {{{Outcome::Ok, "ok"},
             {Outcome::OutOfMemory, "oom"},
             {Outcome::Unsupported, "unsupported"},
             {Outcome::Failed, "failed"},
             {Outcome::Timeout, "timeout"},
             {Outcome::Cancelled, "cancelled"},
             {Outcome::Crashed, "crashed"}}};
}

/// Readings of a device and its computer during the timed steps of a trial. Values that are not measured
/// there are absent.
struct TrialReadings
{
    /// Processor time that the threads of a step got, as a share of what they could use, 0..1.
    std::optional<double> processorShare;
    /// Mean number of processors that other programs kept busy, out of those that the trial may run on.
    std::optional<double> foreignProcessors;
    /// Share of the processor time usable by a step's threads that other programs took from them, 0..1.
    std::optional<double> contention;
    /// Pages that the kernel had to allocate (minor), and pages that it had to read from a disk (major).
    std::optional<double> minorPageFaultsPerStep;
    std::optional<double> majorPageFaultsPerStep;
    /// Energy that the whole device consumed during all timed steps, optimizer steps included.
    std::optional<double> energyJoules;
    std::optional<double> meanPowerWatts;
    /// Highest temperature.
    std::optional<double> temperatureCelsius;
    /// Lowest clock rate.
    std::optional<double> clockMegahertz;

    bool operator==(const TrialReadings&) const = default;
};

/// Members of TrialReadings with their names in messages and files.
struct ReadingField
{
    const char* name;
    std::optional<double> TrialReadings::*value;
};
inline constexpr ReadingField readingFields[] = {
    {"processor_share", &TrialReadings::processorShare},
    {"foreign_processors", &TrialReadings::foreignProcessors},
    {"contention", &TrialReadings::contention},
    {"minor_page_faults_per_step", &TrialReadings::minorPageFaultsPerStep},
    {"major_page_faults_per_step", &TrialReadings::majorPageFaultsPerStep},
    {"energy_joules", &TrialReadings::energyJoules},
    {"mean_power_watts", &TrialReadings::meanPowerWatts},
    {"temperature_celsius", &TrialReadings::temperatureCelsius},
    {"clock_megahertz", &TrialReadings::clockMegahertz},
};

/// Measurements of one trial. Times are per micro-batch, in seconds; memory is the device's, in bytes.
///
/// If a comparison ended well, its measurements are in `compared`, and microBatchSize is 0. If it did not,
/// microBatchSize is the size that ended it, and `compared` holds what was measured before.
struct TrialResult
{
    std::int64_t id = 0;
    std::int64_t microBatchSize = 0;
    Outcome outcome = Outcome::Failed;
    /// Number of timed steps; a trial without any is never Ok.
    int steps = 0;
    std::int64_t samples = 0;
    /// Robust location of the timed steps (typicalStepSeconds), without the optimizer's share if
    /// optimizerSeconds is given. 0 if nothing was timed.
    double secondsPerStep = 0.0;
    /// Duration of every timed step, in the sense of secondsPerStep; empty if the program does not send them.
    std::vector<double> stepSeconds;
    /// Time at which the timed steps began, on the program's own monotonic clock, counted from its hello.
    /// Only a program that speaks version 2 reports it.
    std::optional<double> clockSeconds;
    /// Relative standard error of secondsPerStep; used if there are no stepSeconds.
    std::optional<double> relativeError;
    std::optional<double> forwardSeconds;
    std::optional<double> backwardSeconds;
    std::optional<double> optimizerSeconds;
    /// Part of secondsPerStep, and of the seconds of each compared size, that the run spends once in an
    /// optimizer step and not in each micro-batch: processes that take the step together reduce their
    /// gradients in the last one (DistributedDataParallel.no_sync of torch 2.11).
    std::optional<double> reductionSeconds;
    std::int64_t peakAllocatedBytes = 0;
    /// Memory that the device must have free for this size. For a trial that ran out of memory, the least
    /// that it would have needed when it failed.
    std::int64_t peakReservedBytes = 0;
    /// Size of the request that failed, in a trial that ran out of the computer's main memory and not of the
    /// device's; 0 if it is unknown.
    std::optional<std::int64_t> refusedHostBytes;
    /// Number of times that the allocator had to flush its cache after warm-up; above 0, the size fits but
    /// thrashes.
    std::int64_t allocationRetries = 0;
    double wallSeconds = 0.0;
    /// Sizes of a comparison; empty in every other trial.
    std::vector<ComparedSize> compared;
    TrialReadings readings;
    /// Kernel that computed attention: a word of model::Attention or the program's own. Empty if it is not
    /// reported, and in a comparison.
    std::string attention;
    /// What disturbed or cut short the trial: words of the namespace flag in trial_record.h, "disturbed: ..."
    /// with the reason.
    std::vector<std::string> flags;
    /// Reason for the outcome, if the outcome alone does not say it.
    std::string text;
    /// Whether the program ends on its own after this result, because the device did not recover.
    bool isLast = false;

    bool operator==(const TrialResult&) const = default;
};

} // namespace batchpeak::trial
