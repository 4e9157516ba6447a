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

EvaluationRound::EvaluationRound(std::int64_t batches, std::int64_t batchSize, std::int64_t samplesPerEpoch)
    : m_batchSize(std::min(batchSize, samplesPerEpoch))
{
    m_batches = std::clamp<std::int64_t>(batches, 1, samplesPerEpoch / m_batchSize);
}

trial::BatchRequest EvaluationRound::request() const
{
    return {.phase = model::Phase::Eval, .first = m_done * m_batchSize, .samples = m_batchSize};
}

void EvaluationRound::add(const StepRecord& batch)
{
    const StepRecord before = m_sum;
    m_sum = batch;
    m_sum.loss += before.loss;
    m_sum.seconds += before.seconds;
    m_sum.peakAllocatedBytes = std::max(batch.peakAllocatedBytes, before.peakAllocatedBytes);
    m_sum.peakReservedBytes = std::max(batch.peakReservedBytes, before.peakReservedBytes);
    m_sum.allocationRetries += before.allocationRetries;
    // Of the evaluation as a whole: one, and one more for each that failed.
    m_sum.attempts += m_done > 0 ? before.attempts - 1 : 0;
    ++m_done;
}

StepRecord EvaluationRound::record() const
{
    StepRecord record = m_sum;
    const auto batches = static_cast<double>(m_done);
    record.loss /= batches;
    const double samplesPerSecond = batches * static_cast<double>(record.batchSize) / record.seconds;
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
