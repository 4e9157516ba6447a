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

/// Tries a batch on a worker until it is done, in as small micro-batches as it takes: the same samples each
/// time, so that nothing is lost and the optimization is what it would have been.
///
/// Which batch comes next, and what it means that one cannot be done, is decided elsewhere.
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
    /// Of the batch under way; 0 where none is.
    std::int64_t microBatches() const;
    /// \param request  its micro-batch size is filled in
    void run(trial::BatchRequest request);

signals:
    /// \param shrinks  memory is short, so that the next one is tried in smaller micro-batches
    void done(const batchpeak::training::BatchUnderWay& batch, const batchpeak::trial::BatchResult& result,
              bool shrinks);
    /// The batch is tried again, smaller, where that is possible; halved() or doesNotFit() follows.
    void ranOutOfMemory();
    /// The change's step is for whoever counts them.
    void halved(const batchpeak::training::SizeChange& change, const batchpeak::trial::BatchResult& result);
    void doesNotFit(batchpeak::model::Phase phase, const batchpeak::trial::BatchResult& result);
    void cancelled();
    /// The worker could not do it, whatever the size, or can do nothing more.
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
