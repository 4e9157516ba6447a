// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/exploration_options.h"
#include "trial/training.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <utility>

namespace batchpeak::training {

/// How the largest size that fits is looked for before training (torchtune's RFC, PR 2199).
enum class MaximumWay { Halving, Binary, Predict };

/// Of samples that are trained on as well.
inline constexpr std::int64_t defaultEvaluationBatches = 4;

/// What a person may ask of a training run beside the config; whatever is absent follows the config.
struct TrainingOptions
{
    /// Devices, memory, network, precision, optimizer, seed, worker, as for an exploration; what belongs to a
    /// search alone plays no part. The setting: a number or null fix the size; explore and auto ask for
    /// automatic halving. The headroom is 0 unless it was asked for: Composer and torchtune leave none.
    engine::ExplorationOptions run{.headroom = 0.0};
    /// Start at the per-device batch and halve when memory runs out, as Composer's auto.
    bool halvesAutomatically = false;
    /// Whichever ends first; without either one epoch.
    std::optional<std::int64_t> steps;
    std::optional<std::int64_t> epochs;
    /// Samples of synthetic data: without it 16 batches. What is held out is what evaluations see; without it
    /// they see samples that are trained on.
    trial::DataChoice data{.samples = 0};
    std::optional<double> learningRate;
    std::optional<trial::LossWeighting> weighting;
    /// Find the largest size that fits first, and train with it.
    std::optional<MaximumWay> maximum;
    /// Keep the maximum as it is, without rounding down to a power of two.
    bool exact = false;
    /// batch_increase_function: an expression of epoch and current_batch_size, or the path of a Python file;
    /// empty for none.
    QString growth;
    /// Refuse a batch that is no multiple of micro-batch size * devices, as Cerebras did.
    bool strict = false;
    /// Evaluate after so many steps; 0 for never, or, where samples are held out, after each epoch.
    std::int64_t evaluateEvery = 0;
    /// Batches of one evaluation at most; without it all that is held out, or defaultEvaluationBatches.
    std::optional<std::int64_t> evaluationBatches;
    /// Folder for checkpoints; empty for none.
    QString checkpointFolder;
    /// Save after so many steps; 0 for at the end alone.
    std::int64_t checkpointEvery = 0;
    /// Folder of checkpoints whose newest is gone on from; empty for a fresh start.
    QString resumeFolder;
};

/// For a training on the device and by the worker of an exploration: what that was asked for holds, but for
/// the headroom.
inline TrainingOptions trainingOptions(engine::ExplorationOptions exploration)
{
    TrainingOptions options;
    exploration.headroom = options.run.headroom;
    exploration.phase = model::Phase::Train;
    options.run = std::move(exploration);
    return options;
}

} // namespace batchpeak::training
