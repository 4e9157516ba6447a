// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_prediction.h"

#include "history/past_exploration.h"
#include "snapshot/predicted_sizes.h"
#include "store/exploration_store.h"

namespace batchpeak::training {

StepPrediction StepPrediction::fromHistory(const engine::RunDescription& run, const QString& device)
{
    auto past = engine::pastExploration(store::ExplorationStore::defaultPath(), run, device);
    return past ? StepPrediction(std::move(*past)) : StepPrediction();
}

double StepPrediction::samplesPerSecond(std::int64_t batchSize, std::int64_t microBatchSize)
{
    if (!m_exploration)
        return 0.0;
    const auto [place, isNew] = m_known.try_emplace({batchSize, microBatchSize}, 0.0);
    if (isNew) {
        if (const auto predicted = engine::predictedSize(*m_exploration, microBatchSize, batchSize))
            place->second = predicted->samplesPerSecond;
    }
    return place->second;
}

} // namespace batchpeak::training
