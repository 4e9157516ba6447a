// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_sequence.h"
#include "micro_batch_sizes.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <utility>

namespace batchpeak::store {
class ProgramLock;
}

namespace batchpeak::training {

/// What a run must know beside its tensors to go on as if it had never ended.
struct CheckpointState
{
    std::int64_t step = 0;
    /// The epoch under way, from 0, and the samples of it that are done.
    std::int64_t epoch = 0;
    std::int64_t samplesDone = 0;
    std::int64_t microBatchSize = 1;
    std::int64_t evaluationMicroBatchSize = 1;
    /// Samples of one optimizer step on this device.
    std::int64_t batchSize = 1;
    /// Samples of an epoch, and those held out; 0 in checkpoints that do not say.
    std::int64_t samples = 0;
    std::int64_t heldOutSamples = 0;
    /// Steps in a row, up to here, in which the allocator had to flush its cache.
    int thrashingInARow = 0;
    /// What must be alike in the run that goes on, in words that are compared: network, data, seed, ...
    QString fingerprint;
    /// Of the training, which it keeps when it goes on; empty in checkpoints that do not say.
    QString training;
    /// Of the tensors, as of tensorHash(); empty in checkpoints that do not say.
    QString tensorHash = {};

    bool operator==(const CheckpointState&) const = default;
};

/// Checkpoints of one run: a folder each, "step-000120", with the worker's tensors (safetensors) and the
/// state of the run (JSON). One that was not written whole is never taken for one.
///
/// It keeps the newest two and removes older ones that it wrote itself. A folder belongs to one training, and
/// to one program at a time.
class CheckpointFolder
{
public:
    explicit CheckpointFolder(const QString& path) : m_path(path) {}
    const QString& path() const { return m_path; }

    /// Makes the folder and keeps other programs from it as long as what is returned lives, and is taken: on
    /// file systems without locks it is not.
    /// \param training  as of CheckpointState
    /// \throws config::ConfigError  where it holds checkpoints of another training, or something that would
    ///         be in the way of a checkpoint, another program trains into it, or it cannot be written
    std::shared_ptr<store::ProgramLock> claim(const QString& training) const;
    /// Whether what claim() returned keeps others from the folder that is there now: a person may remove the
    /// folder, move it or put another one in its place.
    bool isClaimedBy(const store::ProgramLock& lock) const;

    /// Makes the folder of a new checkpoint, under a name that says it is not whole yet.
    /// \return the absolute path of the tensors' file, to be written by the worker
    /// \throws config::ConfigError  where the folder cannot be written
    QString begin(std::int64_t step);
    /// Writes the state beside the tensors, gives the checkpoint its name and removes older ones.
    /// \return its path
    /// \throws config::ConfigError
    QString commit(const CheckpointState& state);
    /// Adds to the state of a checkpoint what its tensors are. That takes long to know, and until then it is
    /// whole without. \param checkpoint  that commit() told \param hash  as of CheckpointState
    /// \throws config::ConfigError
    void addTensorHash(const QString& checkpoint, const QString& hash) const;

    struct Found
    {
        QString path;
        QString tensors;
        CheckpointState state;
    };
    /// The newest whole one in the folder, or the folder itself where it is one.
    /// \throws config::ConfigError  where there is none, or it cannot be read; with file, line and column
    Found newest() const;

private:
    QString m_path;
};

/// The one that the same training wrote before \p checkpoint, into the same folder; empty where there is
/// none.
QString olderCheckpoint(const QString& checkpoint);

/// When a training saves itself, and what it writes beside its tensors. How a checkpoint comes to the disk is
/// for CheckpointFolder.
class TrainingCheckpoints
{
public:
    /// \param folder  empty where nothing is to be saved
    /// \param every  steps; 0 for at the end alone
    /// \param firstStep  that the training begins after: saved already, or nothing worth it
    /// \param fingerprint, training  as of CheckpointState
    /// \param lock  by which the folder was claimed for the training; null where nothing is to be saved
    TrainingCheckpoints(const QString& folder, std::int64_t every, std::int64_t firstStep,
                        QString fingerprint, QString training, std::shared_ptr<store::ProgramLock> lock)
        : m_folder(folder),
          m_lock(std::move(lock)),
          m_isWanted(!folder.isEmpty()),
          m_every(every),
          m_savedStep(firstStep),
          m_fingerprint(std::move(fingerprint)),
          m_training(std::move(training))
    {}

    /// As the worker counts them, for each checkpoint from here on.
    void setSamples(std::int64_t samples, std::int64_t heldOutSamples)
    {
        m_samples = samples;
        m_heldOutSamples = heldOutSamples;
    }

    /// Whether a checkpoint is to be written after \p step, in the middle of the training.
    bool isDue(std::int64_t step) const;
    /// Whether a training that ends at \p step without a checkpoint would lose work.
    bool isNewer(std::int64_t step) const { return m_isWanted && step > m_savedStep; }

    /// \return the absolute path of the tensors' file, to be written by the worker
    /// \throws config::ConfigError  where the folder is not that of the training any more, too
    QString begin(std::int64_t step);
    /// The checkpoint of \p step could not be written, and is not due any more.
    void giveUp(std::int64_t step) { m_givenUpStep = step; }
    /// \return the path of the checkpoint
    /// \throws config::ConfigError  as begin()
    QString commit(const DataPosition& position, const MicroBatchSizes& sizes, std::int64_t batchSize);
    /// Of the checkpoint that was written last.
    QString writtenTensors() const;
    /// \throws config::ConfigError  as begin()
    void addTensorHash(const QString& hash);

private:
    void requireFolder() const;

    CheckpointFolder m_folder;
    std::shared_ptr<store::ProgramLock> m_lock;
    bool m_isWanted;
    std::int64_t m_every;
    std::int64_t m_savedStep;
    std::int64_t m_givenUpStep = -1;
    std::int64_t m_samples = 0;
    std::int64_t m_heldOutSamples = 0;
    QString m_fingerprint;
    QString m_training;
    /// The checkpoint that was written last.
    QString m_written;
};

} // namespace batchpeak::training
