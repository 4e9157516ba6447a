// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"

#include <QFile>
#include <QProcess>

#include <chrono>

namespace {

// Trials of the real worker take their time on a busy machine; this only ends a test whose program hangs.
constexpr std::chrono::milliseconds longestRun = std::chrono::seconds(120);

} // namespace

QStringList ProgramRun::outLines() const
{
    return out.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

QByteArray ProgramRun::text() const
{
    return QStringLiteral("exit code %1\nstdout: %2\nstderr: %3")
        .arg(QString::number(exitCode), out, err)
        .toUtf8();
}

ProgramRun runProgram(const QStringList& arguments, const QProcessEnvironment& environment)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(BATCHPEAK_PROGRAM), arguments);
    process.closeWriteChannel();
    ProgramRun run;
    if (!process.waitForFinished(static_cast<int>(longestRun.count()))) {
        process.kill();
        process.waitForFinished();
        return run;
    }
    const bool bySignal = process.exitStatus() == QProcess::CrashExit;
    run.exitCode = process.exitCode() + (bySignal ? 128 : 0);
    run.out = QString::fromUtf8(process.readAllStandardOutput());
    run.err = QString::fromUtf8(process.readAllStandardError());
    return run;
}

ProgramRun runProgram(const QStringList& arguments)
{
    return runProgram(arguments, environmentWithoutDisplay());
}

QProcessEnvironment environmentWithoutDisplay()
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& name :
         {QStringLiteral("DISPLAY"), QStringLiteral("WAYLAND_DISPLAY"), QStringLiteral("QT_QPA_PLATFORM")})
        environment.remove(name);
    return environment;
}

QStringList exploreArguments(const QString& behaviour, const QStringList& options)
{
    // The ramp's second size is 2, at which the tests let the worker misbehave.
    return QStringList{
               QStringLiteral("explore"),    examplePath(QStringLiteral("gpt2-tiny.yaml")),
               QStringLiteral("--device"),   QStringLiteral("cpu"),
               QStringLiteral("--strategy"), QStringLiteral("ramp"),
               QStringLiteral("--worker"),   QStringLiteral("\"" BATCHPEAK_FAKE_WORKER "\" ") + behaviour} +
           options;
}

QStringList trainArguments(const QString& behaviour, const QStringList& options)
{
    return QStringList{
               QStringLiteral("train"),    examplePath(QStringLiteral("gpt2-tiny.yaml")),
               QStringLiteral("--device"), QStringLiteral("cpu"),
               QStringLiteral("--worker"), QStringLiteral("\"" BATCHPEAK_FAKE_WORKER "\" ") + behaviour} +
           options;
}

QString examplePath(const QString& name)
{
    return QStringLiteral(BATCHPEAK_SOURCE_DIR "/resources/examples/") + name;
}

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}
