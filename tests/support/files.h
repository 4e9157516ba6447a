// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QString>

namespace batchpeak::test {

inline void writeFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("the test's file %s cannot be written", qPrintable(path));
}

/// Writes an executable shell script, and creates the folders that it lies in.
inline void writeProgram(const QString& path, const QByteArray& script)
{
    const QFileInfo program(path);
    if (!program.dir().mkpath(QStringLiteral(".")))
        qFatal("the test's folder %s cannot be made", qPrintable(program.path()));
    writeFile(path, "#!/bin/sh\n" + script + '\n');
    QFile::setPermissions(path, QFile::permissions(path) | QFile::ExeOwner);
}

/// Returns the content of a file; empty if it cannot be read.
inline QByteArray readFile(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace batchpeak::test
