// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "confirmation_run.h"
#include "exploration_records.h"
#include "snapshot.h"

#include <QString>

#include <optional>
#include <vector>

namespace batchpeak::training {

/// The newest exploration in the history that has a recommendation and asked the same of the same device: the
/// same config file, network, phase, precision, sequence length and batch.
///
/// \param storePath  of the history; where there is no such file, there is no such exploration
/// \throws store::StoreError where the history cannot be read
std::optional<store::StoredExploration>
pastExploration(const QString& storePath, const engine::RunDescription& run, const QString& deviceId);

/// The recommended size and its runner-up, the fastest other size at the config's batch, with the samples/s
/// that the times of the trials predict for whole optimizer steps at that batch.
std::vector<ConfirmedSize> predictedSizes(const store::StoredExploration& exploration);
std::vector<ConfirmedSize> predictedSizes(const engine::Snapshot& snapshot);

} // namespace batchpeak::training
