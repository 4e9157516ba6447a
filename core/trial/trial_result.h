// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "comparison.h"
#include "outcome.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::trial {

/// What a device and its computer told of themselves while the timed steps of a trial ran; what is not
/// measured there is absent.
struct TrialReadings
{
    /// What the processor gave the threads of a step, of what they could use: 0..1.
    std::optional<double> processorShare;
    /// Processors that other programs kept busy in the mean, of those that the trial may run on.
    std::optional<double> foreignProcessors;
    /// Share of what a step's threads could have used that other programs took from them: 0..1.
    std::optional<double> contention;
    /// Pages that the kernel had to hand out; pages that it had to read from a disk.
    std::optional<double> minorPageFaultsPerStep;
    std::optional<double> majorPageFaultsPerStep;
    /// Energy that the whole device took for all timed steps, each with its optimizer step.
    std::optional<double> energyJoules;
    std::optional<double> meanPowerWatts;
    /// The highest.
    std::optional<double> temperatureCelsius;
    /// The lowest.
    std::optional<double> clockMegahertz;

    bool operator==(const TrialReadings&) const = default;
};

/// Each of them, by its name in messages and files.
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

/// What one trial measured. Times are of one micro-batch, in seconds; memory is the device's, in bytes.
///
/// Of a comparison that ended well the measurements are in `compared`, and microBatchSize is 0; of one that
/// did not, microBatchSize is the size that ended it, and what is in `compared` was measured before.
struct TrialResult
{
    std::int64_t id = 0;
    std::int64_t microBatchSize = 0;
    Outcome outcome = Outcome::Failed;
    /// Timed steps; a trial without any is never Ok.
    int steps = 0;
    std::int64_t samples = 0;
    /// Robust location of the timed steps (typicalStepSeconds), without the optimizer's share where
    /// optimizerSeconds is given. 0 where nothing was timed.
    double secondsPerStep = 0.0;
    /// Every timed step, as secondsPerStep; empty where a program does not send them.
    std::vector<double> stepSeconds;
    /// When the timed steps began: on the program's own monotonic clock, since its hello. Only a program
    /// that speaks version 2 tells.
    std::optional<double> clockSeconds;
    /// Relative standard error of secondsPerStep; stands in where there are no stepSeconds.
    std::optional<double> relativeError;
    std::optional<double> forwardSeconds;
    std::optional<double> backwardSeconds;
    std::optional<double> optimizerSeconds;
    std::int64_t peakAllocatedBytes = 0;
    /// What the device must have free for this size; of a trial that ran out of memory, what it
    /// would have needed at least when it failed.
    std::int64_t peakReservedBytes = 0;
    /// Of a trial that ran out of the computer's main memory and not of the device's: what was asked for
    /// when it did, 0 where that cannot be told.
    std::optional<std::int64_t> refusedHostBytes;
    /// Times that the allocator had to flush its cache after warm-up: above 0 the size fits but thrashes.
    std::int64_t allocationRetries = 0;
    double wallSeconds = 0.0;
    /// Of a comparison; empty in every other trial.
    std::vector<ComparedSize> compared;
    TrialReadings readings;
    /// The kernel that computed attention, in a word of model::Attention's or the program's own; empty where
    /// it is not told, and of a comparison.
    std::string attention;
    /// What disturbed or cut the trial short: words of trial_flags.h, "disturbed: ..." with the reason.
    std::vector<std::string> flags;
    /// Why it ended as it did, where the outcome alone does not say.
    std::string text;
    /// The program ends after this result of its own accord, since the device did not recover.
    bool isLast = false;

    bool operator==(const TrialResult&) const = default;
};

} // namespace batchpeak::trial
