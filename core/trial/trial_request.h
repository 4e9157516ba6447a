// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "model/run_kind.h"
#include "model/tuning.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::trial {

/// Request to load what a worker needs before its first trial.
struct LoadRequest
{
    model::ModelSpec model;
    /// Fine-tuning of the network; in evaluation, the tuning that the network is evaluated with.
    model::Tuning tuning;
    model::Phase phase = model::Phase::Train;
    std::int64_t sequenceLength = 0;
    /// Sequence length of the decoder, if it reads its own sequence.
    std::optional<std::int64_t> targetLength;
    /// Lengths of samples as they occur in the data, all equally probable, clipped to sequenceLength. Empty
    /// stands for the worst case: every sample has the length sequenceLength.
    std::vector<std::int64_t> sampleLengths;
    model::Precision precision = model::Precision::Fp32;
    model::Optimizer optimizer = model::Optimizer::AdamW;
    model::StepOptions step;
    /// Memory limit of the worker, for all its trials together; 0 stands for the device's own limit.
    std::int64_t memoryLimitBytes = 0;
    std::uint64_t seed = 1;
    /// Whether processes that take steps together measure their link.
    bool measuresLink = false;

    bool operator==(const LoadRequest&) const = default;
};

/// Request for one live measurement of one size on one device: warm-up, then timed steps.
struct TrialRequest
{
    /// Number of the trial within an exploration, so that a late answer can be recognized.
    std::int64_t id = 0;
    std::int64_t microBatchSize = 1;
    int minSteps = 5;
    int maxSteps = 24;
    /// Timed steps continue until this much time is measured, within minSteps..maxSteps.
    double minSeconds = 0.4;
    double timeLimitSeconds = 60.0;
    /// If above 0, the worker gives up after three timed steps if even the fastest took longer than this,
    /// since the size can no longer win.
    double abandonAboveSeconds = 0.0;

    bool operator==(const TrialRequest&) const = default;
};

} // namespace batchpeak::trial
