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

/// Where an exploration stands.
enum class State {
    /// A config may be loaded; nothing runs.
    Idle,
    /// Workers are being started and the network loaded.
    Starting,
    /// Trials run.
    Exploring,
    /// The search has ended, and its result is measured once more in a fresh process.
    Verifying,
    /// No trial runs, and none is started. After a moment the workers are ended, so
    /// that the devices are free for other programs.
    Paused,
    /// No more trials; workers are being ended.
    Finishing,
    Finished,
    /// Trials could not be run; failure says why.
    Failed
};

/// How an exploration ended.
enum class FinishStatus { Confident, Exhausted, Budget, Cancelled, NothingFits, Failed };

/// "confident", "nothing_fits", ...: the words of the events.
QString toText(FinishStatus status);

/// The recommended size, measured once more in a fresh process.
struct Verification
{
    enum class Outcome {
        /// To come, or under way.
        Pending,
        Confirmed,
        /// It runs, but slower than the tolerance and the noise explain.
        Slower,
        /// It does not run there: the size is not recommended any more.
        Failed,
        /// No fresh process came up, or the exploration ended before.
        NotRun
    };
    std::int64_t size = 0;
    Outcome outcome = Outcome::Pending;
    double expectedSamplesPerSecond = 0.0;
    std::optional<double> samplesPerSecond;
    /// 0 where unknown.
    std::int64_t peakReservedBytes = 0;
    /// What the peak leaves of the device's limit; negative where it needs more.
    std::optional<std::int64_t> spareBytes;
    /// Before its speed and its peak, as of speedMark() and memoryMark().
    QString speedMark = {};
    QString memoryMark = {};
};

/// "confirmed", "not_run", ...: the words of the events.
QString toText(Verification::Outcome outcome);

/// What the times of trials predict for whole optimizer steps at the config's batch, at one size.
struct PredictedSize
{
    std::int64_t microBatchSize = 0;
    std::int64_t accumulationSteps = 0;
    /// Of one device.
    double samplesPerSecond = 0.0;
    /// Standard error of that, relative.
    double relativeError = 0.0;
    /// No trial told the time of the optimizer step, so that the prediction reckons without it.
    bool withoutOptimizer = false;

    bool operator==(const PredictedSize&) const = default;
};

/// What a trial of an earlier exploration of the same run measured of one size, and counts for in this one.
struct RecalledTrial
{
    /// What the search was told of it: number, device and readings are not among that.
    trial::TrialRecord trial;
    /// Number of its exploration in the history; nothing where that was not kept.
    std::optional<std::int64_t> exploration;
    QDateTime ended;
};

/// Where sizes come to the end of the memory, by the search's memory model and by what trials met; 0 where
/// unknown.
struct MemoryZones
{
    /// Sizes from here on reach into the headroom.
    double headroomFrom = 0.0;
    /// Sizes from here on pass the limit.
    double wall = 0.0;
    /// A trial has met the wall; else it is predicted.
    bool wallSeen = false;

    bool operator==(const MemoryZones&) const = default;
};

/// What was recommended from a moment on.
struct CoursePoint
{
    /// Since the start, without pauses.
    double elapsedSeconds = 0.0;
    /// Trials that had ended.
    int trials = 0;
    /// 0 while nothing is recommended.
    std::int64_t size = 0;
    int confidence = 1;
    double expectedLoss = 0.0;
    double samplesPerSecond = 0.0;

    bool operator==(const CoursePoint&) const = default;
};

/// A trial that runs or is to come, and why.
struct TrialPlan
{
    /// 0 before it has begun.
    int number = 0;
    /// One, or those that are compared.
    std::vector<std::int64_t> sizes;
    trial::Purpose why = trial::Purpose::FirstSizes;
    /// The size that it is to be told from; 0 where it is none in particular.
    std::int64_t against = 0;
    /// "Next: 24, to tell it from 28."
    QString sentence;

    bool operator==(const TrialPlan&) const = default;
};

/// Which of the commands of Exploration would do something at present.
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

/// Below this confidence [percent] a recommendation is called "leading": it may well still change.
inline constexpr int leadingBelowPercent = 90;

/// Everything that a window or a terminal shows of an exploration: a plain value, which they draw and
/// never interpret. Every Snapshot is consistent in itself.
struct Snapshot
{
    State state = State::Idle;
    /// A pause was asked for and begins when the running trials, which are canceled, have ended.
    bool pauseRequested = false;
    /// It is paused and no worker is left, so that other programs have the devices to themselves.
    bool devicesAreFree = false;
    /// How long the search has been thinking while no trial runs; nothing when one runs or none is to come.
    std::optional<double> thinkingSeconds;
    /// Trials have been going on for longer than expected without a sign; 0 when all is well.
    double stalledSeconds = 0.0;
    /// Nothing while no config is loaded.
    std::optional<RunDescription> run;
    /// The run's number in the history of this user; 0 where it is not kept there, or not yet.
    qint64 numberInHistory = 0;
    std::vector<DeviceSnapshot> devices;
    /// In the order of their starts.
    std::vector<trial::TrialRecord> trials;
    /// Those that count, the newest last; none once the search has dropped them.
    std::vector<RecalledTrial> recalled;
    search::SearchState searchState;
    /// What was recommended in the course of time, oldest first: a point for each change of it and for each
    /// trial that ended, thinned out beyond a bound.
    std::vector<CoursePoint> course;
    /// The trials that run.
    std::vector<TrialPlan> underWay;
    /// What comes after them; nothing where that depends on how they end.
    std::optional<TrialPlan> next;
    /// Sizes that a person asked for and that no trial has begun on.
    std::vector<std::int64_t> askedSizes;
    Commands commands;
    /// Of the recommended size; 0 without one.
    std::int64_t recommendedPeakBytes = 0;
    /// Of its calm trials together; nothing where none measured it.
    std::optional<double> recommendedJoulesPerSample;
    /// Steps of the recommended size in training; 0 in evaluation, which accumulates nothing.
    std::int64_t accumulationSteps = 0;
    /// One sentence why, and what next; empty without a recommendation.
    QString reason;
    /// What a clearly smaller size that is within the tolerance too would leave; empty where there is none.
    QString smallerSize;
    /// What limits the speed of the recommended size, as a sentence; empty where that cannot be told.
    QString speedLimit;
    /// The newest one; nothing before the search has ended.
    std::optional<Verification> verification;
    /// Of an exploration that has ended, the size that it recommends for training and its runner-up, as of
    /// predictedSizes(); empty before and where there is nothing to train with.
    std::vector<PredictedSize> predictedSizes;
    /// 0..1, and the time that is left [s], once they can be told.
    double progress = 0.0;
    std::optional<search::Estimate> timeLeft;
    /// Why progress has gone back, as words within a line, until it has caught up again; else empty.
    QString setback;
    /// Without pauses.
    double elapsedSeconds = 0.0;
    std::optional<FinishStatus> finish;
    /// How it ended and what going on could gain, as full sentences; empty before the end.
    QString ending;
    /// It has ended, and Exploration::continueSearch() takes it up again.
    bool canContinue = false;
    /// Why nothing fits or why trials could not be run, as a full sentence that says what to do.
    QString failure;
    /// A GPU is here that nothing can run on, and nobody has asked for another device.
    bool gpuIsUnusable = false;
    /// The newest last; the oldest are dropped beyond a bound.
    std::vector<LogLine> log;

    /// From the start of the exploration to its end, while its workers use the device.
    bool isUnderWay() const;
    bool runsTrials() const;
    /// All of its devices are CPUs.
    bool isOnCpu() const;
    /// It is paused, or is about to be, which resume() takes back.
    bool canResume() const { return state == State::Paused || pauseRequested; }
    /// The search has been thinking for so long that someone who looks on wonders what is going on.
    bool isChoosing() const;
    /// Those that run. Between two it is the last one, for as long as nobody would notice that none runs.
    std::vector<const trial::TrialRecord*> currentTrials() const;
    /// The newest good trial of the recommended size; null without one.
    const trial::TrialRecord* recommendedTrial() const;
    /// It can go on, and what it would then learn could change its answer.
    bool isWorthContinuing() const;
    /// It has failed for its GPUs, before any trial: the CPU may be asked for in their place.
    bool offersCpu() const;
    /// There is a size to be written or trained with.
    bool recommendsSize() const;
    /// The size that an exploration of training recommends at its end; 0 before and without one.
    std::int64_t trainingSize() const;
    /// The recommendation is sure enough to be more than "leading".
    bool isRecommendationSure() const;
    /// Of the device with the least, since a size must fit on each; 0 where unknown.
    std::int64_t minLimitBytes() const;
    std::int64_t minUsableBytes() const;
    /// What was seen holds against what is predicted: the wall stands above every size that ran and at or
    /// below every size that did not.
    MemoryZones memoryZones() const;
};

} // namespace batchpeak::engine
