// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "micro_batch_sizes.h"
#include "step_record.h"
#include "training_snapshot.h"
#include "training_worker.h"

#include <QObject>

#include <cstdint>
#include <optional>

namespace batchpeak::training {

/// Retries a batch on a worker until it is done, with smaller micro-batches if necessary. Each attempt has
/// the same samples, so nothing is lost and the optimization is unaffected.
///
/// It does not decide which batch is next, or what happens if a batch cannot be done.
class BatchAttempts : public QObject
{
    Q_OBJECT

public:
    /// \param worker  outlives this object
    BatchAttempts(TrainingWorker& worker, const MicroBatchSizes& sizes);

    const MicroBatchSizes& sizes() const { return m_sizes; }
    /// Changes the micro-batch size of training, from the next batch on.
    void setSize(std::int64_t size) { m_sizes.setTraining(size); }
    bool isUnderWay() const { return m_batch.has_value(); }
    /// Number of micro-batches of the batch under way; 0 if there is none.
    std::int64_t microBatches() const;
    /// \param request  batch to run; its micro-batch size is filled in here
    void run(trial::BatchRequest request);

signals:
    /// \param shrinks  whether memory is short, so that the next batch is tried in smaller micro-batches
    void done(const batchpeak::training::BatchUnderWay& batch, const batchpeak::trial::BatchResult& result,
              bool shrinks);
    /// Emitted when memory ran out. If possible, the batch is tried again in smaller micro-batches. halved(),
    /// doesNotFit() or, if the device did not recover, failed() follows.
    void ranOutOfMemory();
    /// Emitted when the micro-batch size was halved. The receiver, which counts the steps, fills in the step
    /// of \p change.
    void halved(const batchpeak::training::SizeChange& change, const batchpeak::trial::BatchResult& result);
    void doesNotFit(batchpeak::model::Phase phase, const batchpeak::trial::BatchResult& result);
    void cancelled();
    /// Emitted when the worker could not do the batch at any size, or cannot continue at all.
    void failed(const batchpeak::trial::BatchRequest& batch, const batchpeak::trial::BatchResult& result);

private:
    void attempt(const BatchUnderWay& batch);
    void takeResult(const trial::BatchResult& result);
    void takeOutOfMemory(BatchUnderWay batch, const trial::BatchResult& result);

    TrainingWorker& m_worker;
    MicroBatchSizes m_sizes;
    std::optional<BatchUnderWay> m_batch;
};

} // namespace batchpeak::training
