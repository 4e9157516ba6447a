// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "purpose.h"
#include "trial_result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::trial {

/// The words that the flags of a trial begin with; what else a program flags is shown as it is.
namespace flag {
/// The size fits only by flushing the allocator's cache again and again.
inline constexpr std::string_view thrashes = "thrashes";
/// Cut short, since the size could no longer win.
inline constexpr std::string_view abandoned = "abandoned";
/// Something else than the size moved its times; a reason may follow.
inline constexpr std::string_view disturbed = "disturbed";
/// The optimizer left steps out, since gradients stayed infinite however small the scale of the loss.
inline constexpr std::string_view lacksSteps = "without all optimizer steps";
// Those below are the parent's.
/// Runs, but needs more than the headroom leaves.
inline constexpr std::string_view withinHeadroom = "within the headroom";
/// Of the recommended size, in a fresh process.
inline constexpr std::string_view verification = "verification";
/// Repeats a trial that was disturbed.
inline constexpr std::string_view repetition = "repetition";
} // namespace flag

/// "disturbed: other programs used 0.8 of 2 processors"
std::string disturbedBy(std::string_view reason);

/// Whether one of \p flags is that word, alone or before a colon and a reason.
bool hasFlag(const std::vector<std::string>& flags, std::string_view word);

/// One visit of a size in the midst of a comparison.
struct VisitRecord
{
    /// When its timed steps began, since the start of the exploration.
    double beginSeconds = 0.0;
    double samplesPerSecond = 0.0;

    bool operator==(const VisitRecord&) const = default;
};

/// What a comparison says of one of its sizes; nothing is measured before the comparison has ended.
struct ComparedRecord
{
    std::int64_t microBatchSize = 0;
    /// Of its visits together, such that one that something disturbed does not move it; relativeError by
    /// their scatter, with what the device did meanwhile in it.
    std::optional<double> samplesPerSecond;
    std::optional<double> relativeError;
    std::optional<double> secondsPerStep;
    std::optional<std::int64_t> peakReservedBytes;
    /// In the order of time; of a comparison that was cut short, those that came to their end.
    std::vector<VisitRecord> visits;

    bool operator==(const ComparedRecord&) const = default;
};

/// One trial from its start to its end, as it is shown, written down and kept: of one size, or of some that
/// are compared.
///
/// What a worker measured is a TrialResult; here stands what its parent made of it, in the light of the
/// device and of the batch. Only what was measured is there.
struct TrialRecord
{
    /// From 1, in the order of their starts.
    int number = 0;
    /// "cpu", "cuda:0"
    std::string device;
    /// Of a comparison the size that ended it before its time; 0 where no size did.
    std::int64_t microBatchSize = 0;
    /// The sizes of a comparison, in the order of their first visits, and how often each is visited; empty in
    /// every other trial. What is measured of one size below is absent then.
    std::vector<ComparedRecord> compared;
    int visits = 0;
    /// Nothing while it runs.
    std::optional<Outcome> outcome;
    /// Of a running trial, from the steps so far; nothing before the first timed one.
    std::optional<double> samplesPerSecond;
    /// Standard error relative to the value, the program's own or else reckoned from its steps; nothing
    /// where there are too few of them to tell.
    std::optional<double> relativeError;
    std::optional<double> secondsPerStep;
    /// Its parts; backward is 0 in evaluation. Nothing in a comparison, and where a program does not tell.
    std::optional<double> forwardSeconds;
    std::optional<double> backwardSeconds;
    /// Of one optimizer step; where there is one it is no part of secondsPerStep.
    std::optional<double> optimizerSeconds;
    std::optional<std::int64_t> peakAllocatedBytes;
    std::optional<std::int64_t> peakReservedBytes;
    int warmupSteps = 0;
    int timedSteps = 0;
    /// Of a running trial, so far.
    double wallSeconds = 0.0;
    /// Nothing where it is not known, as of trials that an older program kept.
    std::optional<Purpose> purpose = {};
    /// The size that it is to be told from; 0 where it is none in particular.
    std::int64_t against = 0;
    /// Probability that it fits, as the search saw it before.
    double predictedFit = 1.0;
    /// Energy of the whole device for one sample, its share of the optimizer steps included; nothing where
    /// the device does not measure it, or not long enough.
    std::optional<double> joulesPerSample;
    TrialReadings readings;
    /// The kernel that computed attention, as the program names it; empty where it does not.
    std::string attention;
    bool thrashes = false;
    /// Cut short, since the size could no longer win.
    bool abandoned = false;
    /// Something else than the size moved its times; the flags say what.
    bool disturbed = false;
    /// How many trials before it something disturbed, so that this one repeats them.
    int repetition = 0;
    /// Fits the device, but not below the headroom: never recommended.
    bool withinHeadroom = true;
    /// Of the recommended size in a fresh process, after the search.
    bool isVerification = false;
    std::vector<std::string> flags;
    /// Why it ended as it did.
    std::string text;

    bool isRunning() const { return !outcome; }
    bool isComparison() const { return !compared.empty(); }
    /// It measured its size, and the size can be recommended.
    bool ranWell() const { return outcome == Outcome::Ok && withinHeadroom && !thrashes; }

    bool operator==(const TrialRecord&) const = default;
};

/// Adds flags to a trial, and with them what those of trial_flags.h say of it.
void addFlags(TrialRecord& trial, const std::vector<std::string>& flags);

} // namespace batchpeak::trial
