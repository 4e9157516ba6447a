// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"
#include "store/exploration_records.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::engine {

/// Returns the recommended size and its runner-up, the fastest other size at the config's batch. Their
/// samples/s are predicted from the times of the trials for whole optimizer steps at that batch on one
/// device, with the curve that the search uses: measured times would promise too much for sizes that were
/// fast by chance.
///
/// A size above the batch is run as the batch. Two sizes that split the batch into the same micro-batches are
/// the same run, so that one is not the runner-up of the other. Nor is a size that thrashes, needs more than
/// the headroom leaves, or did not fit.
///
/// \return nothing if there is no recommendation, or none of its trials can be used
std::vector<PredictedSize> predictedSizes(const store::StoredExploration& exploration);
std::vector<PredictedSize> predictedSizes(const Snapshot& snapshot);

/// Returns the same prediction for one size, at a batch that may differ from the config's.
///
/// \param batch  samples of an optimizer step on one device
/// \return nothing if the largest micro-batch of such a step lies beyond the measured sizes, where the curve
///         is unknown
std::optional<PredictedSize> predictedSize(const store::StoredExploration& exploration, std::int64_t size,
                                           std::int64_t batch);

} // namespace batchpeak::engine
