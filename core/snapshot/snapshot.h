// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/run_description.h"
#include "syntax/config_error.h"
#include "trial/trial_record.h"
#include "workers/device_state.h"

#include <QDateTime>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::engine {

/// State of an exploration.
enum class State {
    /// A config may be loaded; nothing runs.
    Idle,
    /// Workers are being started and the network loaded.
    Starting,
    /// Trials run.
    Exploring,
    /// The search has ended, and its result is being measured once more in a fresh process.
    Verifying,
    /// No trial runs, and none is started. After a moment, the workers are ended, so that the devices are
    /// free for other programs.
    Paused,
    /// No more trials are run; the workers are being ended.
    Finishing,
    Finished,
    /// Trials could not be run; \c failure says why.
    Failed
};

/// How an exploration ended.
enum class FinishStatus { Confident, Exhausted, Budget, Cancelled, NothingFits, Failed };

/// Returns the status in the words of the events: "confident", "nothing_fits", ...
QString toText(FinishStatus status);

/// The measurement of the recommended size in a fresh process.
struct Verification
{
    enum class Outcome {
        /// The verification is still to come, or under way.
        Pending,
        Confirmed,
        /// The size runs, but slower than the tolerance and the noise explain.
        Slower,
        /// The size does not run in a fresh process, and is not recommended any more.
        Failed,
        /// No fresh process started, or the exploration ended before.
        NotRun
    };
    std::int64_t size = 0;
    Outcome outcome = Outcome::Pending;
    double expectedSamplesPerSecond = 0.0;
    std::optional<double> samplesPerSecond;
    /// Measured peak; 0 if unknown.
    std::int64_t peakReservedBytes = 0;
    /// Remainder of the device's limit after the peak; negative if the size needs more.
    std::optional<std::int64_t> spareBytes;
    /// Texts before its speed and its peak, from speedMark() and memoryMark().
    QString speedMark = {};
    QString memoryMark = {};
};

/// Returns the outcome in the words of the events: "confirmed", "not_run", ...
QString toText(Verification::Outcome outcome);

/// Prediction from the times of trials for whole optimizer steps at the config's batch, at one size.
struct PredictedSize
{
    std::int64_t microBatchSize = 0;
    std::int64_t accumulationSteps = 0;
    /// Throughput of one device.
    double samplesPerSecond = 0.0;
    /// Standard error relative to the value.
    double relativeError = 0.0;
    /// Whether no trial reported the time of the optimizer step, so that the prediction does not include it.
    bool withoutOptimizer = false;

    bool operator==(const PredictedSize&) const = default;
};

/// Measurement of one size by a trial of an earlier exploration of the same run, which counts in this
/// exploration.
struct RecalledTrial
{
    /// What the search was told of the trial; this does not include its number, device and readings.
    trial::TrialRecord trial;
    /// Number of its exploration in the history; nothing if that was not stored.
    std::optional<std::int64_t> exploration;
    QDateTime ended;
};

/// Sizes at which memory runs out, by the search's memory model and by the trials; 0 if unknown.
struct MemoryZones
{
    /// Size from which on a micro-batch reaches into the headroom.
    double headroomFrom = 0.0;
    /// Size from which on a micro-batch exceeds the limit.
    double wall = 0.0;
    /// Whether a trial has reached the wall; otherwise, it is predicted.
    bool wallSeen = false;

    bool operator==(const MemoryZones&) const = default;
};

/// The recommendation from a certain time on.
struct CoursePoint
{
    /// Time since the start, without pauses.
    double elapsedSeconds = 0.0;
    /// Number of trials that had ended.
    int trials = 0;
    /// Recommended size; 0 while nothing is recommended.
    std::int64_t size = 0;
    int confidence = 1;
    double expectedLoss = 0.0;
    double samplesPerSecond = 0.0;

    bool operator==(const CoursePoint&) const = default;
};

/// A trial that is running or still to come, and its purpose.
struct TrialPlan
{
    /// Number of the trial; 0 before it has begun.
    int number = 0;
    /// One size, or those that are compared.
    std::vector<std::int64_t> sizes;
    trial::Purpose why = trial::Purpose::FirstSizes;
    /// Size from which the trial is to distinguish its own; 0 if there is none in particular.
    std::int64_t against = 0;
    /// "Next: 24, to distinguish it from 28."
    QString sentence;

    bool operator==(const TrialPlan&) const = default;
};

/// Which of the commands of Exploration would have an effect at the moment.
struct Commands
{
    bool skipsTrial = false;
    bool excludesSizes = false;
    bool triesSizes = false;
    bool extends = false;
    bool changesTolerance = false;
    bool changesTargetConfidence = false;

    bool operator==(const Commands&) const = default;
};

/// Confidence [percent] below which a recommendation is called "leading": it may well still change.
inline constexpr int leadingBelowPercent = 90;

/// Everything that a window or a terminal shows of an exploration: a plain value, which they draw and never
/// interpret. Every Snapshot is consistent.
struct Snapshot
{
    State state = State::Idle;
    /// Whether a pause was requested. It begins when the running trials, which are canceled, have ended.
    bool pauseRequested = false;
    /// Whether the exploration is paused and no worker is left, so that other programs have the devices to
    /// themselves.
    bool devicesAreFree = false;
    /// Time for which the search has been thinking while no trial runs [s]; nothing while one runs or if none
    /// is to come.
    std::optional<double> thinkingSeconds;
    /// Time for which trials have been silent, if longer than expected [s]; 0 otherwise.
    double stalledSeconds = 0.0;
    /// Run that is loaded; nothing while no config is loaded.
    std::optional<RunDescription> run;
    /// Number of the run in the history of this user; 0 if it is not stored there, or not yet.
    qint64 numberInHistory = 0;
    std::vector<DeviceSnapshot> devices;
    /// Places that are being opened.
    std::vector<PlaceSnapshot> places;
    /// Trials, in the order of their starts.
    std::vector<trial::TrialRecord> trials;
    /// Recalled trials that count, the newest last; none once the search has dropped them.
    std::vector<RecalledTrial> recalled;
    search::SearchState searchState;
    /// Recommendations over time, oldest first: a point for each change and for each trial that ended,
    /// thinned out beyond a limit.
    std::vector<CoursePoint> course;
    /// Trials that are running.
    std::vector<TrialPlan> underWay;
    /// The trial that follows them; nothing if that depends on how they end.
    std::optional<TrialPlan> next;
    /// Sizes that a person asked for and whose trials have not begun.
    std::vector<std::int64_t> askedSizes;
    Commands commands;
    /// Peak of the recommended size; 0 without one.
    std::int64_t recommendedPeakBytes = 0;
    /// Energy by its undisturbed trials together; nothing if none measured it.
    std::optional<double> recommendedJoulesPerSample;
    /// Accumulation steps of the recommended size in training; 0 in evaluation, which does not accumulate.
    std::int64_t accumulationSteps = 0;
    /// One sentence on why, and on what comes next; empty without a recommendation.
    QString reason;
    /// What a clearly smaller size that is also within the tolerance would leave; empty if there is none.
    QString smallerSize;
    /// What limits the speed of the recommended size, as a sentence; empty if this is unknown.
    QString speedLimit;
    /// Newest verification; nothing before the search has ended.
    std::optional<Verification> verification;
    /// After the end, the size recommended for training and its runner-up, from predictedSizes(); empty
    /// before the end and if there is nothing to train with.
    std::vector<PredictedSize> predictedSizes;
    /// Progress, 0..1, and the time left [s], once they are known.
    double progress = 0.0;
    std::optional<search::Estimate> timeLeft;
    /// Why progress has gone back, as words within a line, until it has caught up again; empty otherwise.
    QString setback;
    /// Time since the start, without pauses.
    double elapsedSeconds = 0.0;
    std::optional<FinishStatus> finish;
    /// How the exploration ended and what continuing could gain, as full sentences; empty before the end.
    QString ending;
    /// Whether the exploration has ended and Exploration::continueSearch() can continue it.
    bool canContinue = false;
    /// Why nothing fits or why trials could not be run, as a full sentence that says what to do.
    QString failure;
    /// Whether there is a GPU on which nothing can run, and nobody has asked for another device.
    bool gpuIsUnusable = false;
    /// Log lines, the newest last; the oldest are dropped beyond a limit.
    std::vector<LogLine> log;

    /// Whether the exploration has started and not ended, and its workers use the devices.
    bool isUnderWay() const;
    bool runsTrials() const;
    /// Whether all of its devices are CPUs.
    bool isOnCpu() const;
    /// Whether the exploration is paused or about to be, so that resume() has an effect.
    bool canResume() const { return state == State::Paused || pauseRequested; }
    /// Whether the search has been thinking for so long that an observer wonders what is going on.
    bool isChoosing() const;
    /// Returns the running trials. Between two trials, this is the last one, for as long as the gap would not
    /// be noticed.
    std::vector<const trial::TrialRecord*> currentTrials() const;
    /// Returns the newest good trial of the recommended size; null without one.
    const trial::TrialRecord* recommendedTrial() const;
    /// Whether the exploration can continue, and what it would learn could change its answer.
    bool isWorthContinuing() const;
    /// Whether the exploration failed because of its GPUs, before any trial, so that the CPU can be used
    /// instead.
    bool offersCpu() const;
    /// Whether the exploration failed after trials that the history has, so that it can be resumed as an
    /// interrupted one can.
    bool canBeTakenUp() const;
    /// Whether there is a size to write or to train with.
    bool recommendsSize() const;
    /// Returns the size that an exploration of training recommends at its end; 0 before the end and without
    /// one.
    std::int64_t trainingSize() const;
    /// Whether the confidence is high enough for the recommendation to be more than "leading".
    bool isRecommendationSure() const;
    /// Memory of the device with the least, since a size must fit on each; 0 if unknown.
    std::int64_t minLimitBytes() const;
    std::int64_t minUsableBytes() const;
    /// Returns the memory zones. Observations override predictions: the wall is above every size that ran,
    /// and at or below every size that did not.
    MemoryZones memoryZones() const;
};

} // namespace batchpeak::engine
