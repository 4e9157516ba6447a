// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "disk_order.h"

#include "config/config_error.h"
#include "engine/located_error.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace batchpeak::training {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::training::CheckpointFolder)
};

[[noreturn]] void fail(const QString& path, int error)
{
    const QString sentence =
        Translated::tr("The checkpoint was not written (%1); make room or set permissions, or choose another "
                       "folder.")
            .arg(QString::fromStdString(std::generic_category().message(error)));
    throw engine::located(path, config::ConfigError(sentence.toStdString()));
}

/// File systems without the exchange have the old folder removed first.
bool exchange(const QByteArray& one, const QByteArray& other)
{
    return ::renameat2(AT_FDCWD, one.constData(), AT_FDCWD, other.constData(), RENAME_EXCHANGE) == 0;
}

} // namespace

void syncToDisk(const QString& path)
{
    const int file = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        fail(path, errno);
    const int error = ::fsync(file) == 0 ? 0 : errno;
    ::close(file);
    // Some file systems have nothing to do for a folder, and say so.
    if (error != 0 && error != EINVAL)
        fail(path, error);
}

void giveName(const QString& folder, const QString& name)
{
    const QByteArray from = QFile::encodeName(folder);
    const QByteArray to = QFile::encodeName(name);
    if (QDir(name).exists()) {
        if (exchange(from, to)) {
            QDir(folder).removeRecursively();
            return;
        }
        QDir(name).removeRecursively();
    }
    if (::rename(from.constData(), to.constData()) != 0)
        fail(folder, errno);
}

} // namespace batchpeak::training
