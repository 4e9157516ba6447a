// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "checkpoint_folder.h"

#include <QString>

#include <cstdint>

namespace batchpeak::training {

/// The state of a run as its file has it.
struct StoredState
{
    CheckpointState state;
    /// Counts the checkpoints of a folder in the order in which they were written, whatever clocks and steps
    /// say: a run that begins anew in an old folder has the smaller steps, and the newer checkpoints.
    std::int64_t serial = 0;

    bool operator==(const StoredState&) const = default;
};

/// Replaces the file whole, and has it on the disk before it returns.
/// \throws config::ConfigError
void writeStateFile(const QString& path, const StoredState& stored);

/// Whether a file is one of those, whatever became of it; not where it is none, or not there.
bool isStateFile(const QString& path);

/// \throws config::ConfigError  where the file cannot be read or is not ours; with its name, line and column
StoredState readStateFile(const QString& path);

} // namespace batchpeak::training
