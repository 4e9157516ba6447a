// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"
#include "search_journal.h"
#include "snapshot/snapshot.h"
#include "store/exploration_records.h"

#include <QString>

#include <chrono>
#include <optional>
#include <vector>

namespace batchpeak::engine {

/// The newest exploration in the history that has searched among sizes, ended with a recommendation and asked
/// the same of the same device: the same config file, wherever a path to it begins, and the same network,
/// phase, precision, optimizer, sequence length, batch and devices. One of the same program comes before
/// others. What else may change times is not in the history: lengths of samples, activation checkpointing,
/// chunks of the loss, and the memory limit.
///
/// \param storePath  of the history; where there is no such file, there is no such exploration
/// \param device  its id ("cuda:0") or its name
/// \throws store::StoreError where the history cannot be read
std::optional<store::StoredExploration> pastExploration(const QString& storePath, const RunDescription& run,
                                                        const QString& device);

/// Whether trials of both are run by the same: batchpeak-worker, an interpreter, or a command of a person's
/// own, by the same launcher.
bool isOfTheSameProgram(const store::ExplorationInfo& past, const RunDescription& run);

/// Whether recalledTrials() takes it for the very same run, whose code is as it was; of devices it says
/// nothing.
bool isOfTheSameRun(const store::ExplorationInfo& past, const RunDescription& run);

/// What an exploration that has ended measured, for another one of the same run on the same devices.
struct RecalledTrials
{
    /// Its number in the history.
    qint64 exploration = 0;
    /// Since its last trial.
    std::chrono::seconds age{0};
    /// On a clock that is 0 now; those among them that the exploration itself recalled, with their own age.
    std::vector<search::Measurement> measurements;
};

/// Of the newest exploration in the history that has ended with a recommendation, was made by this version of
/// the program through the same worker, and asked its workers for the very same run, on devices of the same
/// names, drivers and frameworks. Bounds, objective and tolerance may be others: trials do not know them.
/// Sizes that ran out of less memory than there is now are left out, and so are those that thrashed.
///
/// \param storePath  of the history; where there is no such file, there is no such exploration
/// \param memoryLimitBytes  of the search that they are for
/// \throws store::StoreError where the history cannot be read
std::optional<RecalledTrials> recalledTrials(const QString& storePath, const RunDescription& run,
                                             const std::vector<DeviceSnapshot>& devices,
                                             std::int64_t memoryLimitBytes);

/// Those as a Snapshot has them, of each size that they measured one, the newest last.
/// \param start  when the clock of \p measurements was 0
std::vector<RecalledTrial> recalledTrialsOf(const std::vector<search::Measurement>& measurements,
                                            const QDateTime& start, const RunDescription& run);

/// What a search recalled and still counts after these calls.
std::vector<RecalledTrial> recalledTrialsOf(const std::vector<PlannerCall>& calls, const RunDescription& run);

} // namespace batchpeak::engine
