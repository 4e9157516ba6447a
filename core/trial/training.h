// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/enum_names.h"
#include "model/run_kind.h"
#include "trial_result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace batchpeak::trial {

/// Where the samples of a training run come from.
enum class DataKind {
    /// Made from the seed, with a pattern that can be learned; there are as many as is asked for.
    Synthetic,
    /// A file whose bytes are the tokens, cut into samples one behind the other.
    Text,
    /// A folder of .npy files of tokens.
    Arrays
};

constexpr model::EnumNames<DataKind, 3> wordsOf(DataKind)
{
    return {{{DataKind::Synthetic, "synthetic"}, {DataKind::Text, "text"}, {DataKind::Arrays, "arrays"}}};
}

/// What of the data is never trained on, but kept for evaluation: a share of its samples, or so many.
struct HeldOut
{
    /// From 0 for none to below 1; plays no part beside a count.
    double share = 0.0;
    std::int64_t samples = 0;

    bool isAsked() const { return share > 0.0 || samples > 0; }
    /// Of so many samples in all; a share is of at least one.
    std::int64_t of(std::int64_t all) const;

    bool operator==(const HeldOut&) const = default;
};

struct DataChoice
{
    DataKind kind = DataKind::Synthetic;
    /// Absolute; of the file or the folder.
    std::string path;
    /// Of synthetic data, those that are held out among them.
    std::int64_t samples = 1024;
    HeldOut heldOut = {};

    bool operator==(const DataChoice&) const = default;
};

/// What each micro-batch's mean loss counts in that of the batch: its share of the samples, or of the targets
/// that the loss counts (Composer's accumulate_train_batch_on_tokens). They differ where samples are padded.
enum class LossWeighting { Samples, Tokens };

constexpr model::EnumNames<LossWeighting, 2> wordsOf(LossWeighting)
{
    return {{{LossWeighting::Samples, "samples"}, {LossWeighting::Tokens, "tokens"}}};
}

/// Makes the network that was loaded for training ready for batches of real data. Its parameters begin as the
/// seed of the load says, or as a checkpoint holds them.
struct TrainingRequest
{
    DataChoice data;
    double learningRate = 3e-4;
    LossWeighting weighting = LossWeighting::Samples;
    /// File of tensors that a SaveRequest wrote; empty for a fresh start.
    std::string checkpoint;

    bool operator==(const TrainingRequest&) const = default;
};

/// One whole batch: in training forward and backward of every micro-batch and one optimizer step, in
/// evaluation forward alone, without dropout.
struct BatchRequest
{
    /// Numbers an attempt, so that a late answer is known for what it is. It shares its numbers with trials.
    std::int64_t id = 0;
    model::Phase phase = model::Phase::Train;
    /// The order of the samples is another one in each epoch, and is the same for the same seed; from 0.
    std::int64_t epoch = 0;
    /// Place in that order; in evaluation, where samples are held out, among those.
    std::int64_t first = 0;
    std::int64_t samples = 1;
    /// Most in one micro-batch; they are spread evenly.
    std::int64_t microBatchSize = 1;

    bool operator==(const BatchRequest&) const = default;
};

/// Writes parameters, optimizer state, random state and statistics of batch normalization to a file.
struct SaveRequest
{
    std::int64_t id = 0;
    /// Absolute; what stands there is replaced, whole or not at all.
    std::string path;

    bool operator==(const SaveRequest&) const = default;
};

/// The answer to a TrainingRequest.
struct TrainingReady
{
    /// In one epoch, without those that are held out.
    std::int64_t samples = 0;
    std::int64_t heldOutSamples = 0;
    /// Of each sample, as it goes through the network; 0 where samples are no tokens.
    std::int64_t tokensPerSample = 0;

    bool operator==(const TrainingReady&) const = default;
};

/// How an attempt at a batch ended. After any outcome but Ok the training is where it was before it, bit for
/// bit on the CPU: the same batch may be tried again.
struct BatchResult
{
    std::int64_t id = 0;
    std::int64_t microBatchSize = 0;
    Outcome outcome = Outcome::Failed;
    /// Weighted mean over the batch [nats]; before the optimizer step.
    double loss = 0.0;
    /// From the first sample's making until the device is idle.
    double seconds = 0.0;
    double optimizerSeconds = 0.0;
    /// Targets that the loss counted.
    std::int64_t countedTargets = 0;
    std::int64_t peakAllocatedBytes = 0;
    /// Of an attempt that ran out of memory, what it would have needed at least when it failed.
    std::int64_t peakReservedBytes = 0;
    /// Flushes of the allocator's cache in this batch.
    std::int64_t allocationRetries = 0;
    /// As of TrialResult.
    std::optional<std::int64_t> refusedHostBytes;
    std::string text;
    /// The program ends after this result: the device did not recover, and the training is lost.
    bool isLast = false;

    bool operator==(const BatchResult&) const = default;
};

/// The answer to a SaveRequest.
struct Saved
{
    std::int64_t id = 0;
    std::int64_t bytes = 0;
    /// Why nothing was saved, as a full sentence; else empty.
    std::string problem;

    bool operator==(const Saved&) const = default;
};

} // namespace batchpeak::trial
