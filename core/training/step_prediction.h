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

/// What the trials of an exploration predict for the steps of a training, each size reckoned once.
class StepPrediction
{
public:
    /// Nothing is predicted.
    StepPrediction() = default;
    explicit StepPrediction(store::StoredExploration exploration) : m_exploration(std::move(exploration)) {}

    /// The newest exploration of the history that asked the same of the same device; of what it cannot know,
    /// see engine::pastExploration().
    /// \throws store::StoreError where the history cannot be read
    static StepPrediction fromHistory(const engine::RunDescription& run, const QString& device);

    /// Samples/s of a step of that batch on this device, in micro-batches of at most that size; 0 where
    /// nothing is predicted.
    double samplesPerSecond(std::int64_t batchSize, std::int64_t microBatchSize);

private:
    std::optional<store::StoredExploration> m_exploration;
    std::map<std::pair<std::int64_t, std::int64_t>, double> m_known;
};

} // namespace batchpeak::training
