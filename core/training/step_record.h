// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training_snapshot.h"
#include "trial/training.h"

#include <cstdint>

namespace batchpeak::training {

/// A batch to be done, and the number of attempts at it.
struct BatchUnderWay
{
    trial::BatchRequest request;
    int attempts = 1;
};

/// Returns the record of a batch that is done.
/// \param step  number of the step, or of the step before an evaluation
/// \param tokensPerSample  0 if samples are not tokens
StepRecord stepRecord(const BatchUnderWay& batch, const trial::BatchResult& result, std::int64_t step,
                      std::int64_t tokensPerSample);

/// One evaluation, which always uses the same batches, so that evaluations can be compared. Its record holds
/// the mean loss over all samples, and the total time and attempts of the batches.
class EvaluationRound
{
public:
    EvaluationRound() = default;
    /// \param samples  total number of samples, at least 1; the last batch is smaller if they do not fill it
    EvaluationRound(std::int64_t samples, std::int64_t batchSize);

    /// Returns the next batch; the caller fills in the micro-batch size.
    trial::BatchRequest request() const;
    void add(const StepRecord& batch);
    bool isDone() const { return m_done >= m_samples; }
    StepRecord record() const;
    void restart();

private:
    std::int64_t m_samples = 1;
    /// Most samples in one evaluation batch.
    std::int64_t m_batchSize = 1;
    std::int64_t m_done = 0;
    /// Record of all samples done so far; its loss is the sum over them.
    StepRecord m_sum;
};

} // namespace batchpeak::training
