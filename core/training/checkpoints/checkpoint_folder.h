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

/// State other than the tensors that a run needs to resume as if it had never ended.
struct CheckpointState
{
    std::int64_t step = 0;
    /// Epoch under way, from 0, and the number of its samples that are done.
    std::int64_t epoch = 0;
    std::int64_t samplesDone = 0;
    std::int64_t microBatchSize = 1;
    std::int64_t evaluationMicroBatchSize = 1;
    /// Samples of one optimizer step on this device.
    std::int64_t batchSize = 1;
    /// Samples of an epoch, and held-out samples; 0 in checkpoints that do not record them.
    std::int64_t samples = 0;
    std::int64_t heldOutSamples = 0;
    /// Number of consecutive steps up to here in which the allocator had to flush its cache.
    int thrashingInARow = 0;
    /// Properties that must be the same in the run that resumes, as text that is compared: network, data,
    /// seed, ...
    QString fingerprint;
    /// Identifier of the training, which stays the same when the training resumes; empty in checkpoints that
    /// do not record it.
    QString training;
    /// Hash of the tensors, from tensorHash(); empty in checkpoints that do not record it.
    QString tensorHash = {};

    bool operator==(const CheckpointState&) const = default;
};

/// Checkpoints of one run. Each is a folder, "step-000120", with the worker's tensors (safetensors) and the
/// state of the run (JSON). A checkpoint that was not written completely is never taken for one.
///
/// It keeps the newest two checkpoints and removes older ones that it wrote itself. A folder belongs to one
/// training, and to one program at a time.
class CheckpointFolder
{
public:
    explicit CheckpointFolder(const QString& path) : m_path(path) {}
    const QString& path() const { return m_path; }

    /// Creates the folder and locks it against other programs, for as long as the returned lock exists and is
    /// taken. On file systems without locks it is not taken.
    /// \param training  see CheckpointState::training
    /// \throws config::ConfigError  if the folder holds checkpoints of another training, or something that is
    ///         in the way of a checkpoint; if another program trains into it; or if it cannot be written
    std::shared_ptr<store::ProgramLock> claim(const QString& training) const;
    /// Whether the lock that claim() returned protects the folder that is at the path now. The user may have
    /// removed or moved the folder, or put another one in its place.
    bool isClaimedBy(const store::ProgramLock& lock) const;

    /// Creates the folder of a new checkpoint, under a name that marks it as incomplete.
    /// \return the absolute path of the tensors' file, which the worker is to write
    /// \throws config::ConfigError  if the folder cannot be written
    QString begin(std::int64_t step);
    /// Writes the state next to the tensors, gives the checkpoint its final name and removes older
    /// checkpoints.
    /// \return the path of the checkpoint
    /// \throws config::ConfigError
    QString commit(const CheckpointState& state);
    /// Adds the hash of the tensors to the state of a checkpoint. The hash takes long to compute; until then
    /// the checkpoint is complete without it.
    /// \param checkpoint  path that commit() returned
    /// \param hash  see CheckpointState::tensorHash
    /// \throws config::ConfigError
    void addTensorHash(const QString& checkpoint, const QString& hash) const;

    struct Found
    {
        QString path;
        QString tensors;
        CheckpointState state;
    };
    /// Returns the newest complete checkpoint in the folder, or the folder itself if it is a checkpoint.
    /// \throws config::ConfigError  if there is none, or if it cannot be read; with file, line and column
    Found newest() const;

private:
    QString m_path;
};

/// Returns the checkpoint that the same training wrote before \p checkpoint into the same folder; empty if
/// there is none.
QString olderCheckpoint(const QString& checkpoint);

/// Decides when a training writes a checkpoint, and what the checkpoint contains besides the tensors.
/// CheckpointFolder writes it to disk.
class TrainingCheckpoints
{
public:
    /// \param folder  folder for checkpoints; empty if nothing is to be saved
    /// \param every  number of steps between checkpoints; 0 to save only at the end
    /// \param firstStep  step after which the training begins; it is saved already, or not worth saving
    /// \param fingerprint, training  see CheckpointState
    /// \param lock  lock that claimed the folder for the training; null if nothing is to be saved
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

    /// Sets the numbers of samples, as counted by the worker, for all later checkpoints.
    void setSamples(std::int64_t samples, std::int64_t heldOutSamples)
    {
        m_samples = samples;
        m_heldOutSamples = heldOutSamples;
    }

    /// Whether a checkpoint must be written after \p step, in the middle of the training.
    bool isDue(std::int64_t step) const;
    /// Whether a training that ends at \p step without a checkpoint would lose work.
    bool isNewer(std::int64_t step) const { return m_isWanted && step > m_savedStep; }

    /// \return the absolute path of the tensors' file, which the worker is to write
    /// \throws config::ConfigError  if the folder cannot be written, or no longer belongs to the training
    QString begin(std::int64_t step);
    /// Records that the checkpoint of \p step could not be written and is no longer due.
    void giveUp(std::int64_t step) { m_givenUpStep = step; }
    /// \return the path of the checkpoint
    /// \throws config::ConfigError  like begin()
    QString commit(const DataPosition& position, const MicroBatchSizes& sizes, std::int64_t batchSize);
    /// Returns the path of the tensors of the checkpoint that was written last.
    QString writtenTensors() const;
    /// \throws config::ConfigError  like begin()
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
    /// Path of the checkpoint that was written last.
    QString m_written;
};

} // namespace batchpeak::training
