// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_attempts.h"

#include "accumulation/micro_batches.h"

#include <utility>

namespace batchpeak::training {

using Verdict = MicroBatchSizes::Verdict;

BatchAttempts::BatchAttempts(TrainingWorker& worker, const MicroBatchSizes& sizes)
    : m_worker(worker), m_sizes(sizes)
{
    connect(&worker, &TrainingWorker::batchEnded, this, &BatchAttempts::takeResult);
}

void BatchAttempts::run(trial::BatchRequest request)
{
    request.microBatchSize = m_sizes.of(request.phase);
    attempt({.request = request});
}

std::int64_t BatchAttempts::microBatches() const
{
    return m_batch ? accumulation::evenSpread(m_batch->request.samples, m_batch->request.microBatchSize)
                         .microBatches()
                   : 0;
}

void BatchAttempts::attempt(const BatchUnderWay& batch)
{
    m_batch = batch;
    m_worker.runBatch(batch.request);
}

void BatchAttempts::takeResult(const trial::BatchResult& result)
{
    const BatchUnderWay batch = *std::exchange(m_batch, std::nullopt);
    if (result.outcome == trial::Outcome::OutOfMemory)
        return takeOutOfMemory(batch, result);
    if (result.outcome == trial::Outcome::Cancelled)
        return emit cancelled();
    if (result.outcome != trial::Outcome::Ok)
        return emit failed(batch.request, result);
    const Verdict verdict = m_sizes.recordDone(batch.request.phase, result.allocationRetries);
    emit done(batch, result, verdict == Verdict::ContinueSmaller);
}

void BatchAttempts::takeOutOfMemory(BatchUnderWay batch, const trial::BatchResult& result)
{
    const model::Phase phase = batch.request.phase;
    emit ranOutOfMemory();
    if (result.isLast)
        return emit failed(batch.request, result);
    if (m_sizes.recordOutOfMemory(phase) == Verdict::NothingFits)
        return emit doesNotFit(phase, result);
    const SizeChange change{.phase = phase,
                            .from = batch.request.microBatchSize,
                            .to = m_sizes.of(phase),
                            .reason = SizeChange::Reason::OutOfMemory};
    ++batch.attempts;
    batch.request.microBatchSize = change.to;
    emit halved(change, result);
    attempt(batch);
}

} // namespace batchpeak::training
