// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training_snapshot.h"

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

/// One evaluation of several batches: the mean of their losses, and their times and attempts together.
class EvaluationRecord
{
public:
    /// All batches have as many samples.
    void add(const StepRecord& batch);
    int batches() const { return m_batches; }
    StepRecord record() const;

private:
    StepRecord m_sum;
    int m_batches = 0;
};

} // namespace batchpeak::training
