// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <stop_token>

namespace batchpeak::training {

/// The XXH3 of 128 bits of a file with tensors, in hex digits, as `xxh128sum` tells it. It finds damage, and
/// nobody who forges. It takes as long as the file takes to be read, which may be minutes of one that the
/// memory does not hold any more; any thread may ask.
///
/// \return empty where the file cannot be read to its end, or \p stop is asked for
QString tensorHash(const QString& path, const std::stop_token& stop);

/// The same of bytes that the memory holds.
QString hashOf(const QByteArray& bytes);

/// What was found of the tensors of a checkpoint that is to be gone on from.
struct TensorCheck
{
    /// They are others than were written.
    bool areDamaged = false;
    /// Then the newest checkpoint before it whose own are not, as far as it says; empty where there is none.
    QString wholeOne;
};

/// \param checkpoint  as CheckpointFolder found it, which says what its tensors are
/// \param hash  that it says
TensorCheck checkTensors(const QString& checkpoint, const QString& hash, const std::stop_token& stop);

} // namespace batchpeak::training
