// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "accumulation/micro_batches.h"
#include "config/config_document.h"
#include "model/run_kind.h"
#include "training_options.h"

#include <QStringList>

#include <cstdint>
#include <optional>

namespace batchpeak::training {

/// Micro-batch sizes of training and evaluation, and how they change with the outcome of each attempt.
///
/// A training size that the user fixed does not change. The evaluation size is always halved when memory runs
/// out, since no result depends on it.
class MicroBatchSizes
{
public:
    using Verdict = accumulation::AutoHalving::Verdict;

    struct Start
    {
        std::int64_t training = 1;
        bool halves = true;
        /// Number of consecutive thrashing steps at the end of the run that this one resumes.
        int thrashingInARow = 0;
        std::int64_t evaluation = 1;
    };
    explicit MicroBatchSizes(const Start& start)
        : m_training(start.training, start.thrashingInARow),
          m_halves(start.halves),
          m_evaluation(start.evaluation)
    {}

    std::int64_t of(model::Phase phase) const;
    bool halves() const { return m_halves; }
    int thrashingInARow() const { return m_training.thrashingInARow(); }

    Verdict recordOutOfMemory(model::Phase phase);
    Verdict recordDone(model::Phase phase, std::int64_t allocationRetries);
    /// Continues training at another size, which is not fixed.
    void setTraining(std::int64_t size);

private:
    accumulation::AutoHalving m_training;
    bool m_halves;
    accumulation::AutoHalving m_evaluation;
};

/// Micro-batch size at which training begins, and the reasons for it.
struct SizeChoice
{
    /// Most samples in one micro-batch, when the batch is spread evenly.
    std::int64_t size = 1;
    /// Requested size, before the batch was spread evenly.
    std::int64_t asked = 1;
    /// Whether the size is halved when memory runs out; otherwise it is fixed.
    bool halves = false;
    /// Whether the batch may be split into micro-batches at all.
    bool accumulates = true;
    /// Notes on the choice for the user, as full sentences.
    QStringList notes;
};

/// \param plan  batch plan of training; its batch is split
SizeChoice chooseSize(const config::ConfigContents& contents, const config::BatchPlan& plan,
                      const TrainingOptions& options);

/// Returns the micro-batch size of evaluation: the config's value, else the training size; at most a batch.
std::int64_t evaluationSize(const config::ConfigContents& contents, std::int64_t batchSize,
                            std::int64_t trainingSize);

} // namespace batchpeak::training
