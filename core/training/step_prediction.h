// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "store/exploration_records.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace batchpeak::training {

/// Predicts the steps of a training from the trials of an exploration; the prediction for each size is
/// cached.
class StepPrediction
{
public:
    /// Creates a prediction that predicts nothing.
    StepPrediction() = default;
    explicit StepPrediction(store::StoredExploration exploration) : m_exploration(std::move(exploration)) {}

    /// Returns the prediction of the newest exploration in the history with the same request on the same
    /// device. See engine::pastExploration() for what it cannot know.
    /// \throws store::StoreError  if the history cannot be read
    static StepPrediction fromHistory(const engine::RunDescription& run, const QString& device);

    /// Returns the samples/s of a step of that batch on this device, in micro-batches of at most that size; 0
    /// if there is no prediction.
    double samplesPerSecond(std::int64_t batchSize, std::int64_t microBatchSize);

private:
    std::optional<store::StoredExploration> m_exploration;
    std::map<std::pair<std::int64_t, std::int64_t>, double> m_known;
};

} // namespace batchpeak::training
