// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

/// What one run of the batchpeak program said and how it ended.
struct ProgramRun
{
    /// 128 + signal where a signal ended it, -1 where it did not start or did not end.
    int exitCode = -1;
    QString out;
    QString err;

    QStringList outLines() const;
    /// Both streams, for the message of a failed check.
    QByteArray text() const;
};

/// Runs the built program as a person without a display would, and waits for its end.
ProgramRun runProgram(const QStringList& arguments, const QProcessEnvironment& environment);
ProgramRun runProgram(const QStringList& arguments);

/// The environment without a display.
QProcessEnvironment environmentWithoutDisplay();

/// "explore", the example, the fake worker behaving as \p behaviour says, and \p options.
QStringList exploreArguments(const QString& behaviour, const QStringList& options = {});

/// "train" in the place of "explore".
QStringList trainArguments(const QString& behaviour, const QStringList& options = {});

/// A config of the examples that come with the program.
QString examplePath(const QString& name);

/// The bytes of a file; empty where it cannot be read.
QByteArray bytesOf(const QString& path);
