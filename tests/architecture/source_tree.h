// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

/// One of our own source files, in the form that the rules of the tree check.
struct SourceFile
{
    /// Path relative to the root of the project: "core/search/strategy.h".
    QString path;
    QStringList lines;

    /// Whether the file lies in \p folder or below it.
    bool liesIn(const QString& folder) const;
    /// Returns the names in its #include lines, without quotes or brackets.
    QStringList includes() const;
};

/// Returns every C++ file of the rooms and their tests.
std::vector<SourceFile> sourceFiles(const QString& root);

/// Returns the CMakeLists.txt of every room and of its tests.
std::vector<SourceFile> buildFiles(const QString& root);

/// Returns the text of a file of the project; empty if it does not exist.
QString textOf(const QString& path);
