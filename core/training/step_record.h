// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training_snapshot.h"
#include "trial/training.h"

#include <cstdint>

namespace batchpeak::training {

/// A batch that is to be done, and the attempts at it.
struct BatchUnderWay
{
    trial::BatchRequest request;
    int attempts = 1;
};

/// What a batch that was done tells.
/// \param step  its number, or that of the step before an evaluation
/// \param tokensPerSample  0 where samples are no tokens
StepRecord stepRecord(const BatchUnderWay& batch, const trial::BatchResult& result, std::int64_t step,
                      std::int64_t tokensPerSample);

/// One evaluation: always the same batches, so that one can be compared with the next. Its record holds the
/// mean of their losses over all samples, and their times and attempts together.
class EvaluationRound
{
public:
    EvaluationRound() = default;
    /// \param samples  in all, at least 1; the last batch is smaller where they fill no whole one
    EvaluationRound(std::int64_t samples, std::int64_t batchSize);

    /// The next batch; the micro-batch size is filled in by whoever knows it.
    trial::BatchRequest request() const;
    void add(const StepRecord& batch);
    bool isDone() const { return m_done >= m_samples; }
    StepRecord record() const;
    void restart();

private:
    std::int64_t m_samples = 1;
    /// Samples of an evaluation batch at most.
    std::int64_t m_batchSize = 1;
    std::int64_t m_done = 0;
    /// Its loss is the sum over all samples done.
    StepRecord m_sum;
};

} // namespace batchpeak::training
