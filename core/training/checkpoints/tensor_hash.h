// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <stop_token>

namespace batchpeak::training {

/// Returns the 128-bit XXH3 of a file of tensors, in hex digits, as `xxh128sum` prints it. It detects damage
/// but not forgery. It takes as long as reading the file, which may be minutes for a file that is not in the
/// page cache. Thread-safe.
///
/// \return the hash; empty if the file cannot be read to its end, or if \p stop is requested
QString tensorHash(const QString& path, const std::stop_token& stop);

/// Returns the same hash for bytes in memory.
QString hashOf(const QByteArray& bytes);

/// Result of checking the tensors of a checkpoint before a run resumes from it.
struct TensorCheck
{
    /// Whether the tensors differ from those that were written.
    bool areDamaged = false;
    /// If they are damaged, the newest earlier checkpoint whose tensors are intact as far as its hash says;
    /// empty if there is none.
    QString wholeOne;
};

/// Checks the tensors of a checkpoint.
///
/// \param checkpoint  checkpoint as CheckpointFolder found it
/// \param hash  hash of the tensors that the state of the checkpoint records
TensorCheck checkTensors(const QString& checkpoint, const QString& hash, const std::stop_token& stop);

} // namespace batchpeak::training
