// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "confirmation_snapshot.h"
#include "engine/snapshot.h"
#include "store/exploration_records.h"

#include <QString>

#include <optional>
#include <vector>

namespace batchpeak::training {

/// The newest exploration in the history that has searched among sizes, ended with a recommendation and asked
/// the same of the same device: the same config file, wherever a path to it begins, and the same network,
/// phase, precision, optimizer, sequence length, batch and devices. What else may change times is not in the
/// history: lengths of samples, activation checkpointing, chunks of the loss, and the memory limit.
///
/// \param storePath  of the history; where there is no such file, there is no such exploration
/// \param device  its id ("cuda:0") or its name
/// \throws store::StoreError where the history cannot be read
std::optional<store::StoredExploration>
pastExploration(const QString& storePath, const engine::RunDescription& run, const QString& device);

/// The recommended size and its runner-up, the fastest other size at the config's batch, with the samples/s
/// that the times of the trials predict for whole optimizer steps at that batch on one device, by the curve
/// that the search reckons with: the times as measured would promise too much of the sizes that were fast by
/// luck.
///
/// A size above the batch is run as the batch. Two sizes that spread the batch alike are the same run, so
/// that the one is no runner-up of the other; neither is a size that thrashes, needs more than the headroom
/// leaves, or did not fit.
///
/// \return nothing where there is no recommendation, or none of its trials can be counted on
std::vector<ConfirmedSize> predictedSizes(const store::StoredExploration& exploration);
std::vector<ConfirmedSize> predictedSizes(const engine::Snapshot& snapshot);

} // namespace batchpeak::training
