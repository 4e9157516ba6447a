// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro_batch_sizes.h"

namespace batchpeak::training {

std::int64_t MicroBatchSizes::of(model::Phase phase) const
{
    return phase == model::Phase::Train ? m_training.size() : m_evaluation.size();
}

MicroBatchSizes::Verdict MicroBatchSizes::recordOutOfMemory(model::Phase phase)
{
    if (phase == model::Phase::Eval)
        return m_evaluation.recordOutOfMemory();
    return m_halves ? m_training.recordOutOfMemory() : Verdict::NothingFits;
}

MicroBatchSizes::Verdict MicroBatchSizes::recordDone(model::Phase phase, std::int64_t allocationRetries)
{
    if (phase == model::Phase::Eval)
        return m_evaluation.recordStep(allocationRetries);
    return m_halves ? m_training.recordStep(allocationRetries) : Verdict::GoOn;
}

void MicroBatchSizes::setTraining(std::int64_t size)
{
    m_training = accumulation::AutoHalving(size);
    m_halves = true;
}

} // namespace batchpeak::training
