// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "source_tree.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

bool SourceFile::liesIn(const QString& folder) const
{
    return path.startsWith(folder + QLatin1Char('/'));
}

QStringList SourceFile::includes() const
{
    static const QRegularExpression pattern(QStringLiteral("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]"));
    QStringList names;
    for (const QString& line : lines) {
        const auto match = pattern.match(line);
        if (match.hasMatch())
            names << match.captured(1);
    }
    return names;
}

namespace {

std::vector<SourceFile> filesNamed(const QString& root, const QStringList& patterns)
{
    std::vector<SourceFile> files;
    const QDir base(root);
    for (const QString& room : {QStringLiteral("app"), QStringLiteral("core"), QStringLiteral("ui"),
                                QStringLiteral("tests"), QStringLiteral("resources")}) {
        QDirIterator walk(base.filePath(room), patterns, QDir::Files, QDirIterator::Subdirectories);
        while (walk.hasNext()) {
            const QString path = walk.next();
            files.push_back({base.relativeFilePath(path), textOf(path).split(QLatin1Char('\n'))});
        }
    }
    return files;
}

} // namespace

std::vector<SourceFile> sourceFiles(const QString& root)
{
    return filesNamed(root, {QStringLiteral("*.cpp"), QStringLiteral("*.h")});
}

std::vector<SourceFile> buildFiles(const QString& root)
{
    return filesNamed(root, {QStringLiteral("CMakeLists.txt")});
}

QString textOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}
