// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tensor_hash.h"

#include "checkpoint_folder.h"
#include "config/config_error.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

namespace batchpeak::training {

namespace {

constexpr qint64 pieceBytes = qint64{1} << 20;

bool hasOtherTensors(const QString& tensors, const QString& hash, const std::stop_token& stop)
{
    const QString found = tensorHash(tensors, stop);
    return !hash.isEmpty() && !found.isEmpty() && found != hash;
}

} // namespace

QString tensorHash(const QString& path, const std::stop_token& stop)
{
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly | QIODevice::Unbuffered))
        return {};
    QCryptographicHash hash(QCryptographicHash::Sha256);
    QByteArray piece(pieceBytes, Qt::Uninitialized);
    qint64 count = 0;
    while ((count = file.read(piece.data(), piece.size())) > 0) {
        hash.addData(QByteArrayView(piece.constData(), count));
        if (stop.stop_requested())
            return {};
    }
    return count < 0 ? QString() : QString::fromLatin1(hash.result().toHex());
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
        // Somebody removes it meanwhile; whoever reads it next says what is wrong.
        return {};
    }
    return {.areDamaged = true, .wholeOne = {}};
}

} // namespace batchpeak::training
