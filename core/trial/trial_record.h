// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial_result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::trial {

/// Why a trial is run.
enum class Purpose {
    /// One of the first sizes: the memory and the time of small sizes predict those of larger ones.
    FirstSizes,
    /// A size larger than any that ran, tried because larger sizes are still getting faster.
    Climbing,
    /// A size on the way to one that may not fit, to learn where memory runs out.
    Memory,
    /// A size that was not measured yet and may be faster than the recommended one.
    Rival,
    /// A size that was measured before; more steps distinguish it from others.
    Remeasuring,
    /// Interleaved visits of sizes that were measured before.
    Comparison,
    /// A repetition, because something disturbed the trial.
    Repetition,
    /// A repetition, because the trial's worker was lost.
    Retry,
    /// A trial of the recommended size in a fresh process.
    Verification,
    /// A trial that the user requested.
    Asked,
    /// A trial of the only size that can be the answer.
    OnlySize
};

constexpr model::EnumNames<Purpose, 11> wordsOf(Purpose)
{
    return {{{Purpose::FirstSizes, "first_sizes"},
             {Purpose::Climbing, "climbing"},
             {Purpose::Memory, "memory"},
             {Purpose::Rival, "rival"},
             {Purpose::Remeasuring, "remeasuring"},
             {Purpose::Comparison, "comparison"},
             {Purpose::Repetition, "repetition"},
             {Purpose::Retry, "retry"},
             {Purpose::Verification, "verification"},
             {Purpose::Asked, "asked"},
             {Purpose::OnlySize, "only_size"}}};
}

/// Words that the flags of a trial begin with. Any other flag of a program is shown as it is.
namespace flag {
/// The size fits only by repeatedly flushing the allocator's cache.
inline constexpr std::string_view thrashes = "thrashes";
/// The trial was cut short because the size could no longer win.
inline constexpr std::string_view abandoned = "abandoned";
/// Something other than the size affected the trial's times; a reason may follow.
inline constexpr std::string_view disturbed = "disturbed";
/// The optimizer skipped steps because gradients stayed infinite however small the loss scale.
inline constexpr std::string_view lacksSteps = "without all optimizer steps";
// The parent sets the flags below.
/// The size runs, but needs part of the headroom.
inline constexpr std::string_view withinHeadroom = "within the headroom";
/// A trial of the recommended size in a fresh process.
inline constexpr std::string_view verification = "verification";
/// A repetition of a disturbed trial.
inline constexpr std::string_view repetition = "repetition";
} // namespace flag

/// Returns a flag such as "disturbed: other programs used 0.8 of 2 processors".
std::string disturbedBy(std::string_view reason);

/// Whether one of \p flags is \p word, alone or followed by a colon and a reason.
bool hasFlag(const std::vector<std::string>& flags, std::string_view word);

/// One visit of a size during a comparison.
struct VisitRecord
{
    /// Time at which the timed steps began, counted from the start of the exploration.
    double beginSeconds = 0.0;
    double samplesPerSecond = 0.0;

    bool operator==(const VisitRecord&) const = default;
};

/// Results of one size of a comparison. Nothing is measured until the comparison has ended.
struct ComparedRecord
{
    std::int64_t microBatchSize = 0;
    /// Throughput over all its visits, robust against one disturbed visit. relativeError is based on the
    /// scatter of the visits, and so includes what the device did meanwhile.
    std::optional<double> samplesPerSecond;
    std::optional<double> relativeError;
    std::optional<double> secondsPerStep;
    std::optional<std::int64_t> peakReservedBytes;
    /// Visits in chronological order. A comparison that was cut short has only the visits that were
    /// completed.
    std::vector<VisitRecord> visits;

    bool operator==(const ComparedRecord&) const = default;
};

/// One trial from its start to its end, as it is shown, written to files and stored: of one size, or of
/// several that are compared.
///
/// A TrialResult holds what a worker measured; this struct holds what the parent derived from it, given the
/// device and the batch. Only measured values are set.
struct TrialRecord
{
    /// Number of the trial, from 1, in the order of starts.
    int number = 0;
    /// Device of the trial: "cpu", "cuda:0".
    std::string device;
    /// Size of the trial. For a comparison, the size that ended it prematurely; 0 if no size did.
    std::int64_t microBatchSize = 0;
    /// Sizes of a comparison, in the order of their first visits, and the number of visits of each; empty in
    /// every other trial. In a comparison, the measurements of one size below are absent.
    std::vector<ComparedRecord> compared;
    int visits = 0;
    /// Outcome; no value while the trial runs.
    std::optional<Outcome> outcome;
    /// Throughput. While the trial runs, it is based on the steps so far; no value before the first timed
    /// step.
    std::optional<double> samplesPerSecond;
    /// Standard error relative to the throughput, reported by the program or else computed from the steps. No
    /// value if there are too few steps to estimate it.
    std::optional<double> relativeError;
    std::optional<double> secondsPerStep;
    /// Durations of the forward and backward passes; backward is 0 in evaluation. No value in a comparison,
    /// or if the program does not report them.
    std::optional<double> forwardSeconds;
    std::optional<double> backwardSeconds;
    /// Duration of one optimizer step. If it has a value, secondsPerStep does not include it.
    std::optional<double> optimizerSeconds;
    /// Part of secondsPerStep that only one micro-batch of an optimizer step needs: the reduction of
    /// gradients between processes. No value if there is none.
    std::optional<double> reductionSeconds;
    std::optional<std::int64_t> peakAllocatedBytes;
    std::optional<std::int64_t> peakReservedBytes;
    int warmupSteps = 0;
    int timedSteps = 0;
    /// Wall time; so far, if the trial is running.
    double wallSeconds = 0.0;
    /// Purpose; no value if it is unknown, as in trials stored by an older version of the program.
    std::optional<Purpose> purpose = {};
    /// Size from which the trial is to distinguish its own; 0 if there is none in particular.
    std::int64_t against = 0;
    /// Probability that the size fits, as predicted by the search before the trial.
    double predictedFit = 1.0;
    /// Energy of the whole device for one sample, including the sample's share of the optimizer steps. No
    /// value if the device does not measure it, or did not measure it for long enough.
    std::optional<double> joulesPerSample;
    TrialReadings readings;
    /// Name of the attention kernel as the program reports it; empty if it does not.
    std::string attention;
    bool thrashes = false;
    /// Whether the trial was cut short because the size could no longer win.
    bool abandoned = false;
    /// Whether something other than the size affected the times; the flags say what.
    bool disturbed = false;
    /// Number of preceding disturbed trials that this trial repeats; 0 if it is not a repetition.
    int repetition = 0;
    /// Whether the size leaves the headroom free. A size that fits the device but not below the headroom is
    /// never recommended.
    bool withinHeadroom = true;
    /// Whether this is a trial of the recommended size in a fresh process, after the search.
    bool isVerification = false;
    std::vector<std::string> flags;
    /// Reason for the outcome.
    std::string text;

    bool isRunning() const { return !outcome; }
    bool isComparison() const { return !compared.empty(); }
    /// Whether the trial measured its size and the size can be recommended.
    bool ranWell() const { return outcome == Outcome::Ok && withinHeadroom && !thrashes; }

    bool operator==(const TrialRecord&) const = default;
};

/// Adds flags to a trial, and sets the members that the words of the namespace flag stand for.
void addFlags(TrialRecord& trial, const std::vector<std::string>& flags);

} // namespace batchpeak::trial
