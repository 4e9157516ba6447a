// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "step_record.h"
#include "trial/training.h"

#include <cstdint>

namespace batchpeak::training {

/// One evaluation: always the same batches, so that one can be compared with the next.
class EvaluationRound
{
public:
    EvaluationRound() = default;
    /// \param samplesPerEpoch  bounds both; at least one batch is evaluated
    EvaluationRound(std::int64_t batches, std::int64_t batchSize, std::int64_t samplesPerEpoch);

    /// The next batch; the micro-batch size is filled in by whoever knows it.
    trial::BatchRequest request() const;
    void add(const StepRecord& batch) { m_record.add(batch); }
    bool isDone() const { return m_record.batches() >= m_batches; }
    StepRecord record() const { return m_record.record(); }
    void restart() { m_record = {}; }

private:
    std::int64_t m_batches = 1;
    std::int64_t m_batchSize = 1;
    EvaluationRecord m_record;
};

} // namespace batchpeak::training
