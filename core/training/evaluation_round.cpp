// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluation_round.h"

#include <algorithm>

namespace batchpeak::training {

EvaluationRound::EvaluationRound(std::int64_t batches, std::int64_t batchSize, std::int64_t samplesPerEpoch)
    : m_batchSize(std::min(batchSize, samplesPerEpoch))
{
    m_batches = std::clamp<std::int64_t>(batches, 1, samplesPerEpoch / m_batchSize);
}

trial::BatchRequest EvaluationRound::request() const
{
    return {.phase = model::Phase::Eval, .first = m_record.batches() * m_batchSize, .samples = m_batchSize};
}

} // namespace batchpeak::training
