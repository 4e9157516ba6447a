// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"
#include "store/exploration_records.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::engine {

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
std::vector<PredictedSize> predictedSizes(const store::StoredExploration& exploration);
std::vector<PredictedSize> predictedSizes(const Snapshot& snapshot);

/// The same of one size, at a batch that need not be the config's.
///
/// \param batch  samples of an optimizer step on one device
/// \return nothing where the largest micro-batch of such a step lies beyond the sizes that were measured,
///         where nobody has seen the curve
std::optional<PredictedSize> predictedSize(const store::StoredExploration& exploration, std::int64_t size,
                                           std::int64_t batch);

} // namespace batchpeak::engine
