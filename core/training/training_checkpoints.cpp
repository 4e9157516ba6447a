// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_checkpoints.h"

namespace batchpeak::training {

bool TrainingCheckpoints::isDue(std::int64_t step) const
{
    return m_every > 0 && step % m_every == 0 && step != m_givenUpStep && isNewer(step);
}

QString TrainingCheckpoints::commit(const DataPosition& position, const MicroBatchSizes& sizes,
                                    std::int64_t batchSize)
{
    const QString path = m_folder.commit({.step = position.step,
                                          .epoch = position.epoch,
                                          .samplesDone = position.samplesDone,
                                          .microBatchSize = sizes.of(model::Phase::Train),
                                          .evaluationMicroBatchSize = sizes.of(model::Phase::Eval),
                                          .batchSize = batchSize,
                                          .thrashingInARow = sizes.thrashingInARow(),
                                          .fingerprint = m_fingerprint});
    m_savedStep = position.step;
    return path;
}

} // namespace batchpeak::training
