// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_sequence.h"
#include "checkpoint_folder.h"
#include "micro_batch_sizes.h"

#include <QString>

#include <cstdint>
#include <utility>

namespace batchpeak::training {

/// When a training saves itself, and what it writes beside its tensors.
class TrainingCheckpoints
{
public:
    /// \param folder  empty where nothing is to be saved
    /// \param every  steps; 0 for at the end alone
    /// \param firstStep  is saved already, or nothing worth it
    TrainingCheckpoints(const QString& folder, std::int64_t every, std::int64_t firstStep,
                        QString fingerprint)
        : m_folder(folder),
          m_isWanted(!folder.isEmpty()),
          m_every(every),
          m_savedStep(firstStep),
          m_fingerprint(std::move(fingerprint))
    {}

    /// In the middle of the training.
    bool isDue(std::int64_t step) const;
    /// Something would be lost.
    bool isNewer(std::int64_t step) const { return m_isWanted && step > m_savedStep; }
    std::int64_t savedStep() const { return m_savedStep; }

    /// \return the absolute path of the tensors' file, to be written by the worker
    /// \throws config::ConfigError
    QString begin(std::int64_t step) { return m_folder.begin(step); }
    /// It could not be written, and is not due any more.
    void giveUp(std::int64_t step) { m_givenUpStep = step; }
    /// \return the path of the checkpoint
    /// \throws config::ConfigError
    QString commit(const DataPosition& position, const MicroBatchSizes& sizes, std::int64_t batchSize);

private:
    CheckpointFolder m_folder;
    bool m_isWanted;
    std::int64_t m_every;
    std::int64_t m_savedStep;
    std::int64_t m_givenUpStep = -1;
    QString m_fingerprint;
};

} // namespace batchpeak::training
