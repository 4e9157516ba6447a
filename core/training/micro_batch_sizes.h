// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "accumulation/auto_halving.h"
#include "config/config_document.h"
#include "model/run_kind.h"
#include "training_options.h"

#include <QStringList>

#include <cstdint>
#include <optional>

namespace batchpeak::training {

/// The micro-batch sizes of training and evaluation, and what becomes of them as attempts end.
///
/// A size of training that a person has fixed stays. The size of evaluation is always halved when memory runs
/// out, since no result depends on it.
class MicroBatchSizes
{
public:
    using Verdict = accumulation::AutoHalving::Verdict;

    struct Start
    {
        std::int64_t training = 1;
        bool halves = true;
        /// Steps in a row that thrashed at the end of the run that this one goes on from.
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
    /// Training goes on at another size, which is not fixed.
    void setTraining(std::int64_t size);

private:
    accumulation::AutoHalving m_training;
    bool m_halves;
    accumulation::AutoHalving m_evaluation;
};

/// The micro-batch size that training begins with, and why.
struct SizeChoice
{
    /// The most samples in one micro-batch, spread evenly.
    std::int64_t size = 1;
    /// The size that was asked for, before the batch was spread evenly.
    std::int64_t asked = 1;
    /// The size is halved when memory runs out; else it is fixed.
    bool halves = false;
    /// The batch may be cut at all.
    bool accumulates = true;
    /// What a person should know of the choice, as full sentences.
    QStringList notes;
};

/// \param plan  of training; its batch is cut
SizeChoice chooseSize(const config::ConfigContents& contents, const config::BatchPlan& plan,
                      const TrainingOptions& options);

/// The micro-batch size of evaluation: what the config writes, else the size of training; at most a batch.
std::int64_t evaluationSize(const config::ConfigContents& contents, std::int64_t batchSize,
                            std::int64_t trainingSize);

} // namespace batchpeak::training
