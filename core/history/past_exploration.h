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

/// Returns the newest exploration in the history that searched among several sizes, ended with a
/// recommendation, and had the same inputs on the same device: the same config file, whatever path leads to
/// it, and the same network, phase, precision, optimizer, sequence length, batch and devices. Explorations of
/// the same program take precedence over others. Other things that may change times are not compared: sample
/// lengths, activation checkpointing, chunks of the loss, and the memory limit.
///
/// \param storePath  path of the history; if there is no such file, there is no such exploration
/// \param device  id ("cuda:0") or name of the device
/// \throws store::StoreError if the history cannot be read
std::optional<store::StoredExploration> pastExploration(const QString& storePath, const RunDescription& run,
                                                        const QString& device);

/// Whether the trials of both are run by the same program: batchpeak-worker, an interpreter, or a custom
/// command, through the same launcher.
bool isOfTheSameProgram(const store::ExplorationInfo& past, const RunDescription& run);

/// Whether recalledTrials() considers it the same run, with unchanged code. Devices are not compared.
bool isOfTheSameRun(const store::ExplorationInfo& past, const RunDescription& run);

/// Measurements of an exploration that has ended, for another one of the same run on the same devices.
struct RecalledTrials
{
    /// Number of the exploration in the history.
    qint64 exploration = 0;
    /// Time since its last trial.
    std::chrono::seconds age{0};
    /// Measurements, on a clock that is 0 now; those that the exploration itself recalled keep their own age.
    std::vector<search::Measurement> measurements;
};

/// Returns the measurements of the newest exploration in the history that has ended with a recommendation,
/// was made by this version of the program through the same worker, and requested the very same run from its
/// workers, on devices with the same names, drivers and frameworks. Bounds, objective and tolerance may
/// differ: trials do not depend on them. Sizes that ran out of memory with a lower limit than now are left
/// out, and so are those that thrashed.
///
/// \param storePath  path of the history; if there is no such file, there is no such exploration
/// \param memoryLimitBytes  memory limit of the search that they are for
/// \throws store::StoreError if the history cannot be read
std::optional<RecalledTrials> recalledTrials(const QString& storePath, const RunDescription& run,
                                             const std::vector<DeviceSnapshot>& devices,
                                             std::int64_t memoryLimitBytes);

/// Returns the measurements as a Snapshot contains them, one for each size that they measured, the newest
/// last.
/// \param start  time at which the clock of \p measurements was 0
std::vector<RecalledTrial> recalledTrialsOf(const std::vector<search::Measurement>& measurements,
                                            const QDateTime& start, const RunDescription& run);

/// Returns what a search recalled and still counts after these calls.
std::vector<RecalledTrial> recalledTrialsOf(const std::vector<PlannerCall>& calls, const RunDescription& run);

} // namespace batchpeak::engine
