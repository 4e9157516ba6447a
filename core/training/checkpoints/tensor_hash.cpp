// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tensor_hash.h"

#include "checkpoint_folder.h"
#include "syntax/config_error.h"

#include <QFile>
#include <QFileInfo>

// Compiled in from the header, so that there is no library to be shipped.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace batchpeak::training {

namespace {

static_assert(XXH_VERSION_NUMBER >= 800, "XXH3 told other values before xxHash 0.8.0");

constexpr qint64 pieceBytes = qint64{4} << 20;

QString textOf(const XXH128_hash_t& hash)
{
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, hash);
    const QByteArray digest(reinterpret_cast<const char*>(bytes.digest), sizeof bytes.digest);
    return QString::fromLatin1(digest.toHex());
}

bool hasOtherTensors(const QString& tensors, const QString& hash, const std::stop_token& stop)
{
    if (hash.isEmpty())
        return false;
    const QString found = tensorHash(tensors, stop);
    return !found.isEmpty() && found != hash;
}

} // namespace

QString tensorHash(const QString& path, const std::stop_token& stop)
{
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly | QIODevice::Unbuffered))
        return {};
    XXH3_state_t hash;
    XXH3_128bits_reset(&hash);
    QByteArray piece(pieceBytes, Qt::Uninitialized);
    qint64 count = 0;
    while ((count = file.read(piece.data(), piece.size())) > 0) {
        XXH3_128bits_update(&hash, piece.constData(), static_cast<std::size_t>(count));
        if (stop.stop_requested())
            return {};
    }
    return count < 0 ? QString() : textOf(XXH3_128bits_digest(&hash));
}

QString hashOf(const QByteArray& bytes)
{
    return textOf(XXH3_128bits(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

TensorCheck checkTensors(const QString& checkpoint, const QString& hash, const std::stop_token& stop)
{
    try {
        if (!hasOtherTensors(CheckpointFolder(checkpoint).newest().tensors, hash, stop))
            return {};
        for (QString older = olderCheckpoint(checkpoint); !older.isEmpty(); older = olderCheckpoint(older)) {
            const CheckpointFolder::Found found = CheckpointFolder(older).newest();
            if (!hasOtherTensors(found.tensors, found.state.tensorHash, stop))
                return {.areDamaged = true, .wholeOne = older};
        }
    } catch (const config::ConfigError&) {
        // The checkpoint is being removed meanwhile; its next reader reports the error.
        return {};
    }
    return {.areDamaged = true, .wholeOne = {}};
}

} // namespace batchpeak::training
