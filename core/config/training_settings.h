// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace batchpeak::config {

/// What a config, or the trainer that it is written for, asks of a training run beside its size; absent where
/// neither says anything. It plays no part in an exploration.
struct TrainingSettings
{
    /// Start at the per-device batch and take less when memory runs out (Composer's
    /// device_train_microbatch_size: auto, transformers' auto_find_batch_size).
    bool halvesAutomatically = false;
    /// Find the largest size that fits first (torchtune's RFC, PR 2199: use_maximum_batch_size).
    bool usesMaximumBatchSize = false;
    /// An expression, or a Python file as the config names it (torchtune's RFC, PR 2199:
    /// batch_increase_function); empty for none.
    std::string batchIncreaseFunction;
    /// Micro-batches weigh by targets that the loss counts, not by samples (Composer's
    /// accumulate_train_batch_on_tokens).
    std::optional<bool> weighsTokens;
    /// Off: the whole batch at once, or not at all (Cerebras' use_cs_grad_accum).
    std::optional<bool> accumulates;
    /// Above 0. Where the rate follows a schedule it is what the schedule scales, if that is one number.
    std::optional<double> learningRate;

    bool operator==(const TrainingSettings&) const = default;
};

} // namespace batchpeak::config
