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

/// Method of searching for the largest size that fits before training (torchtune's RFC, PR 2199).
enum class MaximumWay { Halving, Binary, Predict };

/// Default number of batches of an evaluation on samples that are also trained on.
inline constexpr std::int64_t defaultEvaluationBatches = 4;

/// Options of a training run besides the config; absent options follow the config.
struct TrainingOptions
{
    /// Devices, memory, network, precision, optimizer, seed and worker, as for an exploration; options that
    /// concern only a search are ignored. The setting: a number or null fixes the size; explore and auto
    /// request automatic halving. The default headroom is 0, since Composer and torchtune leave none.
    engine::ExplorationOptions run{.headroom = 0.0};
    /// Whether to start at the per-device batch and halve when memory runs out, as with Composer's auto.
    bool halvesAutomatically = false;
    /// Limits of the run, which ends at whichever is reached first; one epoch if neither is given.
    std::optional<std::int64_t> steps;
    std::optional<std::int64_t> epochs;
    /// Data. The default number of synthetic samples is 16 batches. Evaluations use the held-out samples; if
    /// none are held out, they use samples that are trained on.
    trial::DataChoice data{.samples = 0};
    std::optional<double> learningRate;
    std::optional<trial::LossWeighting> weighting;
    /// Method of finding the largest size that fits before training with it; no value for no search.
    std::optional<MaximumWay> maximum;
    /// Whether to keep the maximum as it is, without rounding it down to a power of two.
    bool exact = false;
    /// batch_increase_function: an expression of epoch and current_batch_size, or the path of a Python file;
    /// empty for none.
    QString growth;
    /// Whether to refuse a batch that is not a multiple of micro-batch size * devices, as Cerebras did.
    bool strict = false;
    /// Number of steps between evaluations. With 0 there are no evaluations, except after each epoch if
    /// samples are held out.
    std::int64_t evaluateEvery = 0;
    /// Most batches in one evaluation. The default is all held-out samples, or defaultEvaluationBatches.
    std::optional<std::int64_t> evaluationBatches;
    /// Folder for checkpoints; empty for none.
    QString checkpointFolder;
    /// Number of steps between checkpoints; 0 to save only at the end.
    std::int64_t checkpointEvery = 0;
    /// Folder of checkpoints from whose newest one the run resumes; empty for a fresh start.
    QString resumeFolder;
};

/// Returns options of a training with the device and the worker of an exploration. They take over the
/// exploration's options except its headroom.
inline TrainingOptions trainingOptions(engine::ExplorationOptions exploration)
{
    TrainingOptions options;
    exploration.headroom = options.run.headroom;
    exploration.phase = model::Phase::Train;
    options.run = std::move(exploration);
    return options;
}

} // namespace batchpeak::training
