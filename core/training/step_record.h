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
/// mean of their losses, and their times and attempts together.
class EvaluationRound
{
public:
    EvaluationRound() = default;
    /// \param samplesPerEpoch  bounds both; at least one batch is evaluated
    EvaluationRound(std::int64_t batches, std::int64_t batchSize, std::int64_t samplesPerEpoch);

    /// The next batch; the micro-batch size is filled in by whoever knows it.
    trial::BatchRequest request() const;
    void add(const StepRecord& batch);
    bool isDone() const { return m_done >= m_batches; }
    StepRecord record() const;
    void restart();

private:
    std::int64_t m_batches = 1;
    /// Samples of an evaluation batch, the same for each.
    std::int64_t m_batchSize = 1;
    std::int64_t m_done = 0;
    StepRecord m_sum;
};

} // namespace batchpeak::training
