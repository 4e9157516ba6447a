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
    /// Generated from the seed, with a pattern that can be learned; the number of samples is a choice.
    Synthetic,
    /// A file whose bytes are the tokens, cut into consecutive samples.
    Text,
    /// A folder of .npy files of tokens.
    Arrays
};

constexpr model::EnumNames<DataKind, 3> wordsOf(DataKind)
{
    return {{{DataKind::Synthetic, "synthetic"}, {DataKind::Text, "text"}, {DataKind::Arrays, "arrays"}}};
}

/// Part of the data that is never trained on but kept for evaluation: a share of its samples, or a number of
/// samples.
struct HeldOut
{
    /// Share from 0 (none) to below 1; ignored if a number of samples is given.
    double share = 0.0;
    std::int64_t samples = 0;

    bool isAsked() const { return share > 0.0 || samples > 0; }
    /// Returns the number of held-out samples out of \p all samples; for a share, at least one.
    std::int64_t of(std::int64_t all) const;

    bool operator==(const HeldOut&) const = default;
};

struct DataChoice
{
    DataKind kind = DataKind::Synthetic;
    /// Absolute path of the file or the folder.
    std::string path;
    /// Number of synthetic samples, held-out samples included.
    std::int64_t samples = 1024;
    HeldOut heldOut = {};

    bool operator==(const DataChoice&) const = default;
};

/// Weight of each micro-batch's mean loss in the loss of the batch: its share of the samples, or of the
/// targets that the loss counts (Composer's accumulate_train_batch_on_tokens). The two differ if samples are
/// padded.
enum class LossWeighting { Samples, Tokens };

constexpr model::EnumNames<LossWeighting, 2> wordsOf(LossWeighting)
{
    return {{{LossWeighting::Samples, "samples"}, {LossWeighting::Tokens, "tokens"}}};
}

/// Request to prepare the loaded network for training with batches of real data. Its parameters are
/// initialized from the seed of the load request, or read from a checkpoint.
struct TrainingRequest
{
    DataChoice data;
    double learningRate = 3e-4;
    LossWeighting weighting = LossWeighting::Samples;
    /// Path of a file of tensors that a SaveRequest wrote; empty for a fresh start.
    std::string checkpoint;

    bool operator==(const TrainingRequest&) const = default;
};

/// Request to run one whole batch. In training, that is the forward and backward pass of every micro-batch
/// and one optimizer step; in evaluation, only the forward pass, without dropout.
struct BatchRequest
{
    /// Number of the attempt, so that a late answer can be recognized. It comes from the same sequence as the
    /// numbers of trials.
    std::int64_t id = 0;
    model::Phase phase = model::Phase::Train;
    /// Epoch, from 0. The order of the samples differs from epoch to epoch, and is the same for the same
    /// seed.
    std::int64_t epoch = 0;
    /// Index of the first sample in that order; in evaluation, if samples are held out, in the order of the
    /// held-out samples.
    std::int64_t first = 0;
    std::int64_t samples = 1;
    /// Most samples in one micro-batch; the samples are spread evenly.
    std::int64_t microBatchSize = 1;

    bool operator==(const BatchRequest&) const = default;
};

/// Request to write parameters, optimizer state, random state and statistics of batch normalization to a
/// file.
struct SaveRequest
{
    std::int64_t id = 0;
    /// Absolute path. An existing file is replaced atomically.
    std::string path;

    bool operator==(const SaveRequest&) const = default;
};

/// The answer to a TrainingRequest.
struct TrainingReady
{
    /// Samples in one epoch, without those that are held out.
    std::int64_t samples = 0;
    std::int64_t heldOutSamples = 0;
    /// Number of tokens of each sample as it goes through the network; 0 if samples are not tokens.
    std::int64_t tokensPerSample = 0;

    bool operator==(const TrainingReady&) const = default;
};

/// Result of an attempt at a batch. After any outcome but Ok the training is in the state before the attempt,
/// bit for bit on the CPU, so the same batch may be tried again.
struct BatchResult
{
    std::int64_t id = 0;
    std::int64_t microBatchSize = 0;
    Outcome outcome = Outcome::Failed;
    /// Weighted mean over the batch [nats], before the optimizer step.
    double loss = 0.0;
    /// Time from the creation of the first sample until the device is idle.
    double seconds = 0.0;
    double optimizerSeconds = 0.0;
    /// Number of targets that the loss counted.
    std::int64_t countedTargets = 0;
    std::int64_t peakAllocatedBytes = 0;
    /// Peak of reserved memory. For an attempt that ran out of memory, the least that it would have needed
    /// when it failed.
    std::int64_t peakReservedBytes = 0;
    /// Number of flushes of the allocator's cache in this batch.
    std::int64_t allocationRetries = 0;
    /// Same as TrialResult::refusedHostBytes.
    std::optional<std::int64_t> refusedHostBytes;
    std::string text;
    /// Whether the program ends after this result: the device did not recover, and the training is lost.
    bool isLast = false;

    bool operator==(const BatchResult&) const = default;
};

/// The answer to a SaveRequest.
struct Saved
{
    std::int64_t id = 0;
    std::int64_t bytes = 0;
    /// Reason that nothing was saved, as a full sentence; else empty.
    std::string problem;

    bool operator==(const Saved&) const = default;
};

} // namespace batchpeak::trial
