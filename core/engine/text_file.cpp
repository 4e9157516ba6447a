// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_file.h"

#include "config/config_document.h"
#include "errors.h"

#include <QFile>
#include <QFileInfo>

namespace batchpeak::engine {

namespace {

[[noreturn]] void fail(const QString& path, const std::string& sentence)
{
    throw located(path, config::ConfigError(sentence));
}

} // namespace

std::string readTextFile(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists())
        fail(path, "There is no such file; check the path.");
    if (info.isDir())
        fail(path, "This is a folder; open a config in it.");
    if (!info.isFile())
        fail(path, "This is no regular file; save the config as one and open that.");
    constexpr auto maxBytes = static_cast<qint64>(config::maxConfigBytes);
    if (info.size() >= maxBytes) {
        fail(path, "The file has " + std::to_string(info.size()) + " bytes, but a config has less than " +
                       std::to_string(maxBytes) + "; open the config itself.");
    }

    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        fail(path,
             "The file cannot be read (" + file.errorString().toStdString() + "); check its permissions.");
    // The file may have grown since it was looked at.
    const QByteArray bytes = file.read(maxBytes);
    if (file.error() != QFileDevice::NoError)
        fail(path, "The file cannot be read (" + file.errorString().toStdString() + "); try again.");
    return bytes.toStdString();
}

} // namespace batchpeak::engine
