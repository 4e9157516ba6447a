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

/// What a config and a person's options come to for a training run, before any device is known.
struct TrainingPlan
{
    TrainingDescription description;
    /// The worker's request to load the network, without its memory limit, which the device decides.
    trial::LoadRequest load;
    trial::TrainingRequest request;
    /// The sizes at which the run begins, where no maximum is to be found first.
    MicroBatchSizes::Start sizes;
    /// Whether a batch runs in micro-batches; else it runs whole.
    bool accumulates = true;
    /// Samples of one evaluation batch.
    std::int64_t evaluationBatchSize = 1;
    RunLength length;
    /// What the user should know, as full sentences.
    QStringList notes;

    /// With a growing batch the maximum only bounds the growth, as in torchtune's RFC.
    bool grows() const { return !description.growth.isEmpty(); }
};

/// The samples of an epoch and those held out, as far as that is known before any data is read: of synthetic
/// data; else 0.
trial::TrainingReady countedSamples(const trial::DataChoice& data);

/// The config as training runs it, which accumulates, so that the optimizer steps behind backward, and packs
/// no texts into a sample; on one device, which shares nothing. Its numbers are approximate where the config
/// has it otherwise.
config::ConfigContents trainedContents(config::ConfigContents contents);

/// \throws config::ConfigError where the config and the options contradict each other, or hold nothing that
///         can be trained
TrainingPlan planTraining(const QString& filePath, const config::ConfigContents& contents,
                          const TrainingOptions& options);

} // namespace batchpeak::training
