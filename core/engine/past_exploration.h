// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"
#include "store/exploration_records.h"

#include <QString>

#include <optional>

namespace batchpeak::engine {

/// The newest exploration in the history that has searched among sizes, ended with a recommendation and asked
/// the same of the same device: the same config file, wherever a path to it begins, and the same network,
/// phase, precision, optimizer, sequence length, batch and devices. What else may change times is not in the
/// history: lengths of samples, activation checkpointing, chunks of the loss, and the memory limit.
///
/// \param storePath  of the history; where there is no such file, there is no such exploration
/// \param device  its id ("cuda:0") or its name
/// \throws store::StoreError where the history cannot be read
std::optional<store::StoredExploration> pastExploration(const QString& storePath, const RunDescription& run,
                                                        const QString& device);

} // namespace batchpeak::engine
