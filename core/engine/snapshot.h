// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "config/config_error.h"
#include "config/fidelity.h"
#include "model/run_kind.h"
#include "model/tuning.h"
#include "search/strategy.h"
#include "trial/trial_record.h"

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

/// What was read from the config and chosen for the run; what stands in the tool bar.
struct RunDescription
{
    QString filePath;
    /// As it was read; empty where nobody said.
    QString configText = {};
    /// File or id of the network that a person had in place of the config's; empty for none.
    QString chosenModel = {};
    /// The words behind "batchpeak explore FILE" that ask for the same.
    QStringList command = {};
    /// What workers are asked to load, as of the trial protocol, but for the memory that a device decides.
    QString loadRequest = {};
    /// The module of a network from a file; empty for any other network.
    QString codePath = {};
    QString formatName;
    QString family;
    /// Path or id that the network is from; empty where it is the config's own.
    QString modelSource;
    /// All, adapters included; 0 where they are counted when the network is loaded.
    std::int64_t parameters = 0;
    /// Of those, what training leaves as it is.
    std::int64_t frozenParameters = 0;
    model::Tuning tuning;
    /// Of every number that its trials give.
    config::Fidelity fidelity;
    model::Phase phase = model::Phase::Train;
    model::Precision precision = model::Precision::Fp32;
    model::Optimizer optimizer = model::Optimizer::AdamW;
    std::int64_t sequenceLength = 0;
    /// In the mean over their lengths, those of both sides of an encoder-decoder; 0 where samples are no
    /// sequences.
    double tokensPerSample = 0.0;
    /// As of model::stepFlops, in the mean over the lengths of samples; nothing where no description tells,
    /// or where a program in the worker's place may run another network.
    std::optional<double> flopsPerSample;
    /// As of model::productPrecision.
    model::Precision productPrecision = model::Precision::Fp32;
    config::BatchPlan plan;
    /// The plan is of a config's batch; else the config holds a network alone, and nobody knows its batch.
    bool hasBatch = true;
    search::Objective objective = search::Objective::Micro;
    QString strategy;
    double tolerance = 0.02;
    double targetConfidence = 0.95;
    double headroom = 0.08;
    /// What the search may spend: trials, and seconds of all that it is under way; nothing where time sets no
    /// bound. Exploration::extend() adds to it.
    int maxTrials = 64;
    std::optional<double> budgetSeconds;
    /// The recommended size is to be measured once more in a fresh process.
    bool isVerified = false;
};

/// A program of somebody else on a device.
struct ForeignProcess
{
    std::int64_t pid = 0;
    /// Empty where the system does not tell.
    QString name;
    std::optional<std::int64_t> bytes;

    bool operator==(const ForeignProcess&) const = default;
};

/// What keeps a device below its clock.
enum class Throttle { None, Power, Heat, Hardware };

/// Readings of a device at present; those that it cannot give are absent.
struct Telemetry
{
    std::optional<int> utilizationPercent;
    std::optional<int> temperatureCelsius;
    std::optional<int> clockMegahertz;
    std::optional<int> mostClockMegahertz;
    std::optional<double> powerWatts;
    std::optional<double> powerLimitWatts;
    Throttle throttle = Throttle::None;
    /// Of the device's memory, or of the main memory that may be used: what is in use, whoever by, and what
    /// programs beside our worker hold of it.
    std::optional<std::int64_t> usedBytes;
    std::optional<std::int64_t> heldByOthersBytes;
    /// Programs beside our worker that compute there; nothing where nobody tells.
    std::optional<std::vector<ForeignProcess>> otherProcesses;
    /// Of a CPU, processors' worth of time that other programs take, and how many there are.
    std::optional<double> otherProcessors;
    std::optional<int> processors;
    /// Errors of its memory that could not be corrected, since the driver was loaded.
    std::optional<std::int64_t> uncorrectedErrors;
    /// Number of the newest error that the driver reported (NVIDIA's "Xid") since the exploration began.
    std::optional<int> xid;

    bool operator==(const Telemetry&) const = default;
};

/// How far other programs disturb the trials on a device of late.
struct Busyness
{
    /// Share of the last trials that something disturbed, 0..1, and how many those are.
    double disturbedShare = 0.0;
    int trials = 0;
    /// What disturbed the newest of them, in the worker's words: "other programs used 0.8 of 2 processors".
    QString by;

    /// Of a device that is, times are less sure, and no trial is repeated.
    bool isBusy() const;
    bool operator==(const Busyness&) const = default;
};

struct DeviceSnapshot
{
    /// "cpu" or "cuda:0": the word of the command line.
    QString id;
    QString kind;
    QString name;
    std::int64_t totalBytes = 0;
    /// What other processes held when the first worker said hello; 0 where the worker does not tell.
    std::int64_t heldByOthersBytes = 0;
    /// What the device, or --memory-limit, allows; usableBytes is that less the headroom.
    std::int64_t limitBytes = 0;
    std::int64_t usableBytes = 0;
    /// Held before the first forward pass.
    std::int64_t baselineBytes = 0;
    /// 0 when no worker runs.
    std::int64_t workerPid = 0;
    QString program;
    /// What it computes with: "torch 2.11.0"; empty where it does not tell, as the next two.
    QString framework = {};
    QString uuid = {};
    QString driver = {};
    /// What the user has set of the worker's allocator; empty for nothing, and where it is not told.
    QString allocatorSettings;
    /// The kernel that computed attention last, in the worker's word; empty before, and where it is not told.
    QString attention;
    /// What its worker says that it runs otherwise than asked, as trial::Loaded has it.
    QStringList approximations;
    Telemetry telemetry;
    Busyness busyness;
    /// How many times a worker of this device had to be started anew.
    int restarts = 0;
};

/// What a device's worker says of itself holds for all numbers of its run.
void addApproximations(config::Fidelity& fidelity, const DeviceSnapshot& device);

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

enum class LogLevel { Info, Warning, Error };

struct LogLine
{
    QDateTime time;
    LogLevel level = LogLevel::Info;
    QString text;
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
    /// It has ended, and Exploration::goOn() takes it up again.
    bool canGoOn = false;
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
    bool isWorthGoingOn() const;
    /// It has failed for its GPUs, before any trial: the CPU may be asked for in their place.
    bool offersCpu() const;
    /// There is a size to be written or trained with.
    bool recommendsSize() const;
    /// The size that an exploration of training recommends at its end; 0 before and without one.
    std::int64_t trainingSize() const;
    /// The recommendation is sure enough to be more than "leading".
    bool isRecommendationSure() const;
    /// Of the device with the least, since a size must fit on each; 0 where unknown.
    std::int64_t leastLimitBytes() const;
    std::int64_t leastUsableBytes() const;
    /// What was seen holds against what is predicted: the wall stands above every size that ran and at or
    /// below every size that did not.
    MemoryZones memoryZones() const;
};

} // namespace batchpeak::engine
