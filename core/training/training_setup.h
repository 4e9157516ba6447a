// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "files/trusted_code.h"
#include "training_options.h"
#include "training_plan.h"
#include "workers/exploration_parts.h"
#include "workers/run_devices.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>

namespace batchpeak::store {
class ProgramLock;
}

namespace batchpeak::training {

/// What two runs must have alike so that one goes on where the other ended, as lines "key: value": network,
/// data, arithmetic, seed, and the batch that the run began with. Sizes of micro-batches and memory are no
/// part of it, since the optimization is the same with others.
QString fingerprintOf(const TrainingPlan& plan);

/// "seed: 1 there, 2 here" of each key whose value is another one.
QStringList fingerprintDifferences(const QString& there, const QString& here);

/// Everything that a training run begins with.
struct TrainingSetup
{
    QString filePath;
    config::ConfigContents contents;
    TrainingOptions options;
    engine::ExplorationParts parts;
    TrainingPlan plan;
    /// One.
    engine::RunDevices devices;
    /// What was let run of a Python file that the config names as growth. One that a person names has none.
    engine::CodeContent growthCode;
    DataPosition position;
    /// Samples of one optimizer step when the run begins or goes on.
    std::int64_t batchSize = 1;
    /// What runs that can go on from each other have alike.
    QString fingerprint;
    /// As of CheckpointState: another one for each training that is not gone on with.
    QString training;
    /// Of the folder for checkpoints, from other programs; null where there is none.
    std::shared_ptr<store::ProgramLock> checkpointLock;
    /// The checkpoint that is gone on from; else empty.
    QString resumedFrom;
    /// Samples of the data when that was written, and of them those of an epoch; 0 where it does not say.
    std::int64_t resumedSamples = 0;
    std::int64_t resumedEpochSamples = 0;
    /// What its tensors were then; empty where it does not say.
    QString resumedHash = {};
    /// In what it is otherwise than the training would be now, as full sentences.
    QStringList resumedDifferences = {};
};

/// \throws config::ConfigError, engine::ExplorationError where the config, the options, the devices and a
///         checkpoint to go on from contradict each other
TrainingSetup setUpTraining(const QString& filePath, const config::ConfigContents& contents,
                            const TrainingOptions& options, const engine::ExplorationParts& parts);

} // namespace batchpeak::training
