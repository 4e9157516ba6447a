// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_record.h"

#include "accumulation/micro_batches.h"

#include <algorithm>

namespace batchpeak::training {

StepRecord stepRecord(const BatchUnderWay& batch, const trial::BatchResult& result, std::int64_t step,
                      std::int64_t tokensPerSample)
{
    const trial::BatchRequest& request = batch.request;
    const auto spread = accumulation::evenSpread(request.samples, request.microBatchSize);
    const double samplesPerSecond = static_cast<double>(request.samples) / result.seconds;
    return {.step = step,
            .epoch = request.epoch,
            .phase = request.phase,
            .batchSize = request.samples,
            .microBatchSize = spread.largest(),
            .accumulationSteps = spread.microBatches(),
            .loss = result.loss,
            .seconds = result.seconds,
            .optimizerSeconds = result.optimizerSeconds,
            .samplesPerSecond = samplesPerSecond,
            .tokensPerSecond = samplesPerSecond * static_cast<double>(tokensPerSample),
            .peakAllocatedBytes = result.peakAllocatedBytes,
            .peakReservedBytes = result.peakReservedBytes,
            .allocationRetries = result.allocationRetries,
            .attempts = batch.attempts};
}

EvaluationRound::EvaluationRound(std::int64_t samples, std::int64_t batchSize)
    : m_samples(samples), m_batchSize(batchSize)
{}

trial::BatchRequest EvaluationRound::request() const
{
    return {
        .phase = model::Phase::Eval, .first = m_done, .samples = std::min(m_batchSize, m_samples - m_done)};
}

void EvaluationRound::add(const StepRecord& batch)
{
    const StepRecord before = m_sum;
    // The last batch may be smaller; the others show how a batch was split.
    if (batch.batchSize >= before.batchSize)
        m_sum = batch;
    m_sum.loss = before.loss + batch.loss * static_cast<double>(batch.batchSize);
    m_sum.seconds = before.seconds + batch.seconds;
    m_sum.peakAllocatedBytes = std::max(batch.peakAllocatedBytes, before.peakAllocatedBytes);
    m_sum.peakReservedBytes = std::max(batch.peakReservedBytes, before.peakReservedBytes);
    m_sum.allocationRetries = before.allocationRetries + batch.allocationRetries;
    // Attempts of the whole evaluation: one, plus one for each that failed.
    m_sum.attempts = batch.attempts + (m_done > 0 ? before.attempts - 1 : 0);
    m_done += batch.batchSize;
}

StepRecord EvaluationRound::record() const
{
    StepRecord record = m_sum;
    const auto samples = static_cast<double>(m_done);
    record.loss /= samples;
    const double samplesPerSecond = samples / record.seconds;
    record.tokensPerSecond *= samplesPerSecond / record.samplesPerSecond;
    record.samplesPerSecond = samplesPerSecond;
    return record;
}

void EvaluationRound::restart()
{
    m_done = 0;
    m_sum = {};
}

} // namespace batchpeak::training
