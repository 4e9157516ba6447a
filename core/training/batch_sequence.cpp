// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_sequence.h"

#include <algorithm>
#include <limits>

namespace batchpeak::training {

namespace {

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

} // namespace

bool BatchSequence::epochHolds(std::int64_t batchSize) const
{
    return m_samples - m_position.samplesDone >= batchSize;
}

bool BatchSequence::isOver(std::int64_t batchSize) const
{
    if (m_length.steps && m_position.step >= *m_length.steps)
        return true;
    return !epochHolds(batchSize) && m_length.epochs && m_position.epoch + 1 >= *m_length.epochs;
}

void BatchSequence::stepDone(std::int64_t batchSize)
{
    ++m_position.step;
    m_position.samplesDone += batchSize;
}

void BatchSequence::beginEpoch()
{
    ++m_position.epoch;
    m_position.samplesDone = 0;
}

std::int64_t BatchSequence::stepsInAll(std::int64_t batchSize) const
{
    const std::int64_t allowed = m_length.steps.value_or(endless);
    if (!m_length.epochs)
        return allowed;
    const std::int64_t inThisEpoch = (m_samples - m_position.samplesDone) / batchSize;
    const std::int64_t epochsToCome = std::max<std::int64_t>(0, *m_length.epochs - m_position.epoch - 1);
    std::int64_t toCome = 0;
    if (__builtin_mul_overflow(m_samples / batchSize, epochsToCome, &toCome) ||
        __builtin_add_overflow(toCome, inThisEpoch + m_position.step, &toCome))
        return allowed;
    return std::min(allowed, toCome);
}

} // namespace batchpeak::training
