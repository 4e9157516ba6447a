// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>

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
    /// Of one optimizer step on this device.
    std::int64_t batchSize = 1;
    /// Steps in a row, up to here, in which the allocator had to flush its cache.
    int thrashingInARow = 0;
    /// What must be alike in the run that goes on, in words that are compared: network, data, seed, ...
    QString fingerprint;

    bool operator==(const CheckpointState&) const = default;
};

/// Checkpoints of one run: a folder each, "step-000120", with the worker's tensors (safetensors) and the
/// state of the run (JSON). One that was not written whole is never taken for one.
///
/// It keeps the newest two and removes older ones that it wrote itself.
class CheckpointFolder
{
public:
    explicit CheckpointFolder(const QString& path) : m_path(path) {}

    /// Makes the folder of a new checkpoint, under a name that says it is not whole yet.
    /// \return the absolute path of the tensors' file, to be written by the worker
    /// \throws config::ConfigError  where the folder cannot be written
    QString begin(std::int64_t step);
    /// Writes the state beside the tensors, gives the checkpoint its name and removes older ones.
    /// \return its path
    /// \throws config::ConfigError
    QString commit(const CheckpointState& state);

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

} // namespace batchpeak::training
