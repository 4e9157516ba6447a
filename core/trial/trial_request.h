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

/// What a worker is to hold ready before its first trial.
struct LoadRequest
{
    model::ModelSpec model;
    /// Of evaluation: what the network is evaluated with.
    model::Tuning tuning;
    model::Phase phase = model::Phase::Train;
    std::int64_t sequenceLength = 0;
    /// Of the decoder, where it reads a sequence of its own.
    std::optional<std::int64_t> targetLength;
    /// Lengths of samples as they occur in the data, each as probable as the others, cut at
    /// sequenceLength. Empty stands for the worst case: every sample is as long as that.
    std::vector<std::int64_t> sampleLengths;
    model::Precision precision = model::Precision::Fp32;
    model::Optimizer optimizer = model::Optimizer::AdamW;
    model::StepOptions step;
    /// Memory that the worker may hold, all its trials included; 0 stands for the device's own.
    std::int64_t memoryLimitBytes = 0;
    std::uint64_t seed = 1;

    bool operator==(const LoadRequest&) const = default;
};

/// One live measurement of one size on one device: warm-up, then timed steps.
struct TrialRequest
{
    /// Numbers a trial within an exploration, so that a late answer is known for what it is.
    std::int64_t id = 0;
    std::int64_t microBatchSize = 1;
    int minSteps = 5;
    int maxSteps = 24;
    /// Timed steps go on until this much time is measured, within minSteps..maxSteps.
    double minSeconds = 0.4;
    double timeLimitSeconds = 60.0;
    /// Above 0: give up after three timed steps if even the fastest took longer than this, since the
    /// size can no longer win.
    double abandonAboveSeconds = 0.0;

    bool operator==(const TrialRequest&) const = default;
};

} // namespace batchpeak::trial
