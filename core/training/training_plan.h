// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_sequence.h"
#include "config/config_document.h"
#include "micro_batch_sizes.h"
#include "training_options.h"
#include "training_snapshot.h"
#include "trial/trial_request.h"

#include <QString>
#include <QStringList>

#include <cstdint>

namespace batchpeak::training {

/// Plan of a training run, derived from a config and the user's options before any device is known.
struct TrainingPlan
{
    TrainingDescription description;
    /// Request to load the network, without its memory limit, which depends on the device.
    trial::LoadRequest load;
    trial::TrainingRequest request;
    /// Initial micro-batch sizes, if no maximum has to be found first.
    MicroBatchSizes::Start sizes;
    /// Whether a batch is split into micro-batches; otherwise it runs whole.
    bool accumulates = true;
    /// Samples of one evaluation batch.
    std::int64_t evaluationBatchSize = 1;
    RunLength length;
    /// Notes for the user, as full sentences.
    QStringList notes;

    /// Whether the batch grows. If so, the maximum only bounds the growth, as in torchtune's RFC.
    bool grows() const { return !description.growth.isEmpty(); }
};

/// Returns the number of samples of an epoch and of held-out samples as far as they are known before any data
/// is read: those of synthetic data; else 0.
trial::TrainingReady countedSamples(const trial::DataChoice& data);

/// Returns the config as training runs it. Training accumulates gradients, so the optimizer steps after the
/// backward pass; it does not pack several texts into a sample; and it runs on one device, so nothing is
/// sharded. Where the config differs from this, its numbers are marked as approximate.
config::ConfigContents trainedContents(config::ConfigContents contents);

/// \throws config::ConfigError  if the config and the options contradict each other, or contain nothing that
///         can be trained
TrainingPlan planTraining(const QString& filePath, const config::ConfigContents& contents,
                          const TrainingOptions& options);

} // namespace batchpeak::training
