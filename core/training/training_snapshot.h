// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "accumulation/growth_rule.h"
#include "snapshot/snapshot.h"
#include "training_options.h"
#include "trial/training.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::training {

/// Where a training run stands.
enum class TrainingState {
    /// A config may be loaded; nothing runs.
    Idle,
    /// The worker is being started and the network loaded.
    Starting,
    /// The largest size that fits is looked for.
    FindingMaximum,
    Training,
    /// A checkpoint is being written.
    Saving,
    /// No more steps; the worker is being ended.
    Finishing,
    Finished,
    /// The training could not go on; failure says why.
    Failed
};

/// How a training run ended.
enum class TrainingEnd {
    /// All its steps are done.
    Completed,
    /// It was asked to stop, and did after a whole step.
    Interrupted,
    /// Not even a micro-batch of one sample fits.
    NothingFits,
    Failed
};

/// "completed", "interrupted", "nothing_fits", "failed": the words of the events.
QString toText(TrainingEnd end);
/// "halving", "binary", "predict": the words of the command line.
QString toText(MaximumWay way);
std::optional<MaximumWay> maximumWayFromText(const QString& text);

/// What was read from the config and chosen for the run.
struct TrainingDescription
{
    /// What an exploration of the same config is told by: file, network, batch, precision, ...
    engine::RunDescription run;
    /// One line: "synthetic, 512 samples an epoch", "shakespeare.txt as bytes, ...".
    QString data;
    /// The data for programs; the samples of a file are not known here.
    trial::DataChoice dataChoice;
    /// Samples that are never trained on; 0 where none are, or as long as that is not known.
    std::int64_t heldOutSamples = 0;
    double learningRate = 3e-4;
    trial::LossWeighting weighting = trial::LossWeighting::Samples;
    bool halvesAutomatically = false;
    std::optional<MaximumWay> maximum;
    QString growth;
    /// Samples of one optimizer step on this device when the run begins.
    std::int64_t batchSize = 1;
    /// Steps of the whole run, as far as that is known: a growing batch makes it fewer.
    std::int64_t steps = 0;
    /// The step that a resumed run begins behind; else 0.
    std::int64_t firstStep = 0;
};

/// One optimizer step that was done, or one evaluation.
struct StepRecord
{
    /// The number of the step, from 1; of an evaluation, that of the step which it came after.
    std::int64_t step = 0;
    /// The epoch of the step, from 0.
    std::int64_t epoch = 0;
    model::Phase phase = model::Phase::Train;
    /// Samples of the whole batch, and at most in a micro-batch.
    std::int64_t batchSize = 0;
    std::int64_t microBatchSize = 0;
    std::int64_t accumulationSteps = 0;
    /// Not a number where it has diverged.
    double loss = 0.0;
    double seconds = 0.0;
    double optimizerSeconds = 0.0;
    double samplesPerSecond = 0.0;
    /// 0 where samples are no tokens.
    double tokensPerSecond = 0.0;
    /// By an earlier exploration of the same config; 0 where none predicts it.
    double predictedSamplesPerSecond = 0.0;
    std::int64_t peakAllocatedBytes = 0;
    std::int64_t peakReservedBytes = 0;
    std::int64_t allocationRetries = 0;
    /// 1 where it succeeded at once.
    int attempts = 1;

    bool operator==(const StepRecord&) const = default;
};

/// The micro-batch size became another one.
struct SizeChange
{
    enum class Reason { OutOfMemory, Thrashing, Growth };
    /// The first one with the new size.
    std::int64_t step = 0;
    model::Phase phase = model::Phase::Train;
    std::int64_t from = 0;
    std::int64_t to = 0;
    Reason reason = Reason::OutOfMemory;

    bool operator==(const SizeChange&) const = default;
};

/// "out_of_memory", "thrashing", "growth": the words of the events.
QString toText(SizeChange::Reason reason);

/// The batch size of one epoch: what the schedule draws.
struct ScheduleEntry
{
    std::int64_t epoch = 0;
    /// The first step of the epoch, from 1.
    std::int64_t step = 1;
    /// What batch_increase_function answered; 0 in the first epoch and where there is none.
    std::int64_t increment = 0;
    accumulation::GrowthDecision::Kind decision = accumulation::GrowthDecision::Kind::Stays;
    /// Samples at most in a micro-batch, and in the whole batch of a step on this device.
    std::int64_t microBatchSize = 0;
    std::int64_t batchSize = 0;

    bool operator==(const ScheduleEntry&) const = default;
};

/// "stays", "changes", "passes_maximum", "leaves_nothing": the words of the events.
QString toText(accumulation::GrowthDecision::Kind kind);

/// The largest size that fits, as one of torchtune's ways finds it.
struct MaximumFound
{
    MaximumWay way = MaximumWay::Halving;
    /// Largest that ran.
    std::int64_t measured = 0;
    /// The size that is trained with: rounded down to a power of two, unless exact.
    std::int64_t used = 0;
    int trials = 0;
    int outOfMemoryEvents = 0;
    double seconds = 0.0;
    /// The size that was recommended by the newest exploration of this config in the history; 0 where there
    /// is none.
    std::int64_t recommended = 0;

    bool operator==(const MaximumFound&) const = default;
};

/// Everything that a window or a terminal shows of a training run: a plain value, consistent in itself.
struct TrainingSnapshot
{
    TrainingState state = TrainingState::Idle;
    std::optional<TrainingDescription> run;
    engine::DeviceSnapshot device;
    /// The steps done by this process, the newest last.
    std::vector<StepRecord> steps;
    std::vector<StepRecord> evaluations;
    std::vector<SizeChange> changes;
    std::vector<ScheduleEntry> schedule;
    std::optional<MaximumFound> maximum;
    /// The size in force for the next step.
    std::int64_t microBatchSize = 0;
    std::int64_t evaluationMicroBatchSize = 0;
    /// Times that memory ran out, the search for a maximum included.
    int outOfMemoryEvents = 0;
    /// Micro-batches done of the step under way, so that a long one is seen to go on.
    std::int64_t microBatchesDone = 0;
    double elapsedSeconds = 0.0;
    std::optional<double> secondsLeft;
    /// Samples over seconds of all training steps but the first of each size, which warms up; 0 before.
    double samplesPerSecond = 0.0;
    /// By how much the same steps were faster than predicted, relative, below 0 where slower; nothing where
    /// none was predicted.
    std::optional<double> overPrediction;
    /// The path of the newest checkpoint that was written; else empty.
    QString checkpoint;
    std::optional<TrainingEnd> end;
    /// Why the training could not go on or nothing fits, as a full sentence that says what to do.
    QString failure;
    /// The newest last; the oldest are dropped beyond a bound.
    std::vector<engine::LogLine> log;

    /// From the start of the run to its end, while its worker uses the device.
    bool isUnderWay() const;
    /// The number of the last step that was done, by this process or by those before it; 0 before the first.
    std::int64_t lastStep() const;
    /// 0..1, of the steps of this process.
    double progress() const;
};

} // namespace batchpeak::training
