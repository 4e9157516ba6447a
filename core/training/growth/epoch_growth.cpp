// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "epoch_growth.h"

#include "accumulation/micro_batches.h"

#include <algorithm>
#include <utility>

namespace batchpeak::training {

EpochGrowth::EpochGrowth(std::unique_ptr<GrowthFunction> function, std::int64_t maximum)
    : m_function(std::move(function)), m_maximum(maximum)
{
    connect(m_function.get(), &GrowthFunction::answered, this, &EpochGrowth::decide);
    connect(m_function.get(), &GrowthFunction::failed, this, [this](const QString& sentence) {
        if (!m_isAsking)
            return;
        emit failed(sentence);
        decide(0);
    });
}

void EpochGrowth::lowerMaximum(std::int64_t maximum)
{
    m_maximum = std::min(m_maximum, maximum);
}

void EpochGrowth::ask(const Present& present)
{
    m_isAsking = true;
    m_present = present;
    m_function->ask(present.epoch, present.microBatchSize);
}

void EpochGrowth::decide(std::int64_t increment)
{
    if (!std::exchange(m_isAsking, false))
        return;
    using Kind = accumulation::GrowthDecision::Kind;
    const std::int64_t current = m_present.microBatchSize;
    const std::int64_t steps = accumulation::evenSpread(m_present.batchSize, current).microBatches();
    const std::int64_t limit = std::min(m_maximum, m_present.samples / steps);
    const accumulation::GrowthDecision decision = accumulation::decideGrowth(current, increment, limit);
    const bool changes = decision.kind == Kind::Changes;
    emit decided({.epoch = m_present.epoch,
                  .increment = increment,
                  .decision = decision.kind,
                  .microBatchSize = decision.batchSize,
                  .batchSize = changes ? steps * decision.batchSize : m_present.batchSize},
                 limit);
}

} // namespace batchpeak::training
