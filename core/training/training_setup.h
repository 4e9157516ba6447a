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

/// Returns what must be the same in two runs so that one can resume the other, as lines "key: value":
/// network, data, arithmetic, seed, and the initial batch. Micro-batch sizes and memory are not included,
/// since they do not affect the optimization.
QString fingerprintOf(const TrainingPlan& plan);

/// Returns a text such as "seed: 1 there, 2 here" for each key whose values differ.
QStringList fingerprintDifferences(const QString& there, const QString& here);

/// Everything that a training run needs to begin.
struct TrainingSetup
{
    QString filePath;
    config::ConfigContents contents;
    TrainingOptions options;
    engine::ExplorationParts parts;
    TrainingPlan plan;
    /// The device to train on; exactly one.
    engine::RunDevices devices;
    /// Content of the config's Python growth file that the user allowed to run. It is empty for a file that
    /// the user gives as an option.
    engine::CodeContent growthCode;
    DataPosition position;
    /// Samples of one optimizer step when the run begins or resumes.
    std::int64_t batchSize = 1;
    /// See fingerprintOf().
    QString fingerprint;
    /// See CheckpointState::training; it is new for each training that does not resume another one.
    QString training;
    /// Lock that protects the checkpoint folder from other programs; null without such a folder.
    std::shared_ptr<store::ProgramLock> checkpointLock;
    /// Path of the checkpoint from which the run resumes; else empty.
    QString resumedFrom;
    /// Samples of all data, and samples of an epoch, when that checkpoint was written; 0 if it does not
    /// record them.
    std::int64_t resumedSamples = 0;
    std::int64_t resumedEpochSamples = 0;
    /// Hash of that checkpoint's tensors; empty if it does not record it.
    QString resumedHash = {};
    /// Differences between that checkpoint and the training that resumes from it, as full sentences.
    QStringList resumedDifferences = {};
};

/// \throws config::ConfigError, engine::ExplorationError  if the config, the options, the devices and the
///         checkpoint to resume from contradict each other
TrainingSetup setUpTraining(const QString& filePath, const config::ConfigContents& contents,
                            const TrainingOptions& options, const engine::ExplorationParts& parts);

} // namespace batchpeak::training
