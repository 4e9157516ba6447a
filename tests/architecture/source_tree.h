// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

/// One of our own source files, as the rules of the tree see it.
struct SourceFile
{
    /// From the root of the project: "core/search/strategy.h".
    QString path;
    QStringList lines;

    /// Whether it lies in \p folder or below it.
    bool liesIn(const QString& folder) const;
    /// What its #include lines name, without quotes or brackets.
    QStringList includes() const;
};

/// Every C++ file of the rooms and their tests.
std::vector<SourceFile> sourceFiles(const QString& root);

/// The CMakeLists.txt of every room and of its tests.
std::vector<SourceFile> buildFiles(const QString& root);

/// The text of a file of the project; empty where there is none.
QString textOf(const QString& path);
