// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "checkpoint_folder.h"

#include <QString>

#include <cstdint>

namespace batchpeak::training {

/// State of a run as stored in its file.
struct StoredState
{
    CheckpointState state;
    /// Sequence number of the checkpoint in its folder, in the order of writing, independent of clocks and
    /// steps: a run that starts afresh in an old folder has smaller steps but newer checkpoints.
    std::int64_t serial = 0;

    bool operator==(const StoredState&) const = default;
};

/// Replaces the file atomically, and flushes it to disk before returning.
/// \throws config::ConfigError
void writeStateFile(const QString& path, const StoredState& stored);

/// Whether a file is a state file, even a damaged one; false if it is something else or does not exist.
bool isStateFile(const QString& path);

/// \throws config::ConfigError  if the file cannot be read or is not a state file of Batchpeak; with its
///         name, line and column
StoredState readStateFile(const QString& path);

} // namespace batchpeak::training
