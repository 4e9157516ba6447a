// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "accumulation/micro_batches.h"
#include "snapshot/snapshot.h"
#include "training_options.h"
#include "trial/training.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::training {

/// State of a training run.
enum class TrainingState {
    /// A config may be loaded; nothing runs.
    Idle,
    /// The worker is being started and the network loaded.
    Starting,
    /// A search for the largest size that fits is running.
    FindingMaximum,
    Training,
    /// A checkpoint is being written.
    Saving,
    /// There are no more steps; the worker is being ended.
    Finishing,
    Finished,
    /// The training could not continue; TrainingSnapshot::failure gives the reason.
    Failed
};

/// How a training run ended.
enum class TrainingEnd {
    /// All steps are done.
    Completed,
    /// The user stopped the run, and it ended after a whole step.
    Interrupted,
    /// Not even a micro-batch of one sample fits.
    NothingFits,
    Failed
};

/// Returns the word of the events: "completed", "interrupted", "nothing_fits", "failed".
QString toText(TrainingEnd end);
/// Returns the word of the command line: "halving", "binary", "predict".
QString toText(MaximumWay way);
std::optional<MaximumWay> maximumWayFromText(const QString& text);

/// Settings of the run, read from the config or chosen.
struct TrainingDescription
{
    /// Description that an exploration of the same config would have: file, network, batch, precision, ...
    engine::RunDescription run;
    /// Data as one line of text: "synthetic, 512 samples an epoch", "shakespeare.txt as bytes, ...".
    QString data;
    /// Data in a form for programs; it does not contain the number of samples of a file.
    trial::DataChoice dataChoice;
    /// Number of samples that are never trained on; 0 if there are none, or if the number is not known yet.
    std::int64_t heldOutSamples = 0;
    double learningRate = 3e-4;
    trial::LossWeighting weighting = trial::LossWeighting::Samples;
    bool halvesAutomatically = false;
    std::optional<MaximumWay> maximum;
    QString growth;
    /// Samples of one optimizer step on this device when the run begins.
    std::int64_t batchSize = 1;
    /// Number of steps of the whole run, as far as it is known; a growing batch reduces it.
    std::int64_t steps = 0;
    /// Step after which a resumed run begins; else 0.
    std::int64_t firstStep = 0;
};

/// A completed optimizer step, or an evaluation.
struct StepRecord
{
    /// Number of the step, from 1; for an evaluation, of the step before it.
    std::int64_t step = 0;
    /// Epoch of the step, from 0.
    std::int64_t epoch = 0;
    model::Phase phase = model::Phase::Train;
    /// Samples of the whole batch, and most samples in a micro-batch.
    std::int64_t batchSize = 0;
    std::int64_t microBatchSize = 0;
    std::int64_t accumulationSteps = 0;
    /// Loss; NaN if it has diverged.
    double loss = 0.0;
    double seconds = 0.0;
    double optimizerSeconds = 0.0;
    double samplesPerSecond = 0.0;
    /// Tokens per second; 0 if samples are not tokens.
    double tokensPerSecond = 0.0;
    /// Throughput predicted by an earlier exploration of the same config; 0 if there is no prediction.
    double predictedSamplesPerSecond = 0.0;
    std::int64_t peakAllocatedBytes = 0;
    std::int64_t peakReservedBytes = 0;
    std::int64_t allocationRetries = 0;
    /// Number of attempts; 1 if the first one succeeded.
    int attempts = 1;

    bool operator==(const StepRecord&) const = default;
};

/// A change of the micro-batch size.
struct SizeChange
{
    enum class Reason { OutOfMemory, Thrashing, Growth };
    /// First step with the new size.
    std::int64_t step = 0;
    model::Phase phase = model::Phase::Train;
    std::int64_t from = 0;
    std::int64_t to = 0;
    Reason reason = Reason::OutOfMemory;

    bool operator==(const SizeChange&) const = default;
};

/// Returns the word of the events: "out_of_memory", "thrashing", "growth".
QString toText(SizeChange::Reason reason);

/// Batch size of one epoch, as drawn in the chart of the schedule.
struct ScheduleEntry
{
    std::int64_t epoch = 0;
    /// First step of the epoch, from 1.
    std::int64_t step = 1;
    /// Answer of batch_increase_function; 0 in the first epoch, and without such a function.
    std::int64_t increment = 0;
    accumulation::GrowthDecision::Kind decision = accumulation::GrowthDecision::Kind::Stays;
    /// Most samples in a micro-batch, and samples in the whole batch of a step on this device.
    std::int64_t microBatchSize = 0;
    std::int64_t batchSize = 0;

    bool operator==(const ScheduleEntry&) const = default;
};

/// Returns the word of the events: "stays", "changes", "passes_maximum", "leaves_nothing".
QString toText(accumulation::GrowthDecision::Kind kind);

/// Largest size that fits, found by one of torchtune's methods.
struct MaximumFound
{
    MaximumWay way = MaximumWay::Halving;
    /// Largest size that ran.
    std::int64_t measured = 0;
    /// Size to train with: `measured` rounded down to a power of two, unless exact.
    std::int64_t used = 0;
    int trials = 0;
    int outOfMemoryEvents = 0;
    double seconds = 0.0;
    /// Size recommended by the newest exploration of this config in the history; 0 if there is none.
    std::int64_t recommended = 0;

    bool operator==(const MaximumFound&) const = default;
};

/// Everything that a window or a terminal shows of a training run: a plain, consistent value.
struct TrainingSnapshot
{
    TrainingState state = TrainingState::Idle;
    std::optional<TrainingDescription> run;
    engine::DeviceSnapshot device;
    /// Steps done by this process, the newest last.
    std::vector<StepRecord> steps;
    std::vector<StepRecord> evaluations;
    std::vector<SizeChange> changes;
    std::vector<ScheduleEntry> schedule;
    std::optional<MaximumFound> maximum;
    /// Micro-batch sizes for the next step.
    std::int64_t microBatchSize = 0;
    std::int64_t evaluationMicroBatchSize = 0;
    /// Number of times that memory ran out, including the search for a maximum.
    int outOfMemoryEvents = 0;
    /// Number of micro-batches done in the step under way, so that a long step shows progress.
    std::int64_t microBatchesDone = 0;
    double elapsedSeconds = 0.0;
    std::optional<double> secondsLeft;
    /// Samples divided by seconds over all training steps except the first one after each change of size,
    /// which warms up; 0 before there is such a step.
    double samplesPerSecond = 0.0;
    /// Relative speedup of those steps over their prediction, below 0 if they were slower. No value if none
    /// of them was predicted.
    std::optional<double> overPrediction;
    /// Path of the newest checkpoint that was written; else empty.
    QString checkpoint;
    std::optional<TrainingEnd> end;
    /// Reason that the training could not continue or that nothing fits, as a full sentence that says what to
    /// do.
    QString failure;
    /// Log lines, the newest last; beyond a limit the oldest are dropped.
    std::vector<engine::LogLine> log;

    /// Whether the run has started and not ended; meanwhile its worker uses the device.
    bool isUnderWay() const;
    /// Returns the number of the last step done by this process or by those that it resumed; 0 before the
    /// first.
    std::int64_t lastStep() const;
    /// Returns the progress of this process's steps, 0..1.
    double progress() const;
};

} // namespace batchpeak::training
