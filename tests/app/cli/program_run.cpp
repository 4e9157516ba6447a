// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"

#include "support/processes.h"

#include <QFile>
#include <QJsonDocument>

#include <algorithm>
#include <sys/resource.h>

namespace {

// Trials of the real worker are slow on a busy machine; these timeouts only end a test whose program hangs.
constexpr int longestRunMilliseconds = 600000;
constexpr int longestSilenceMilliseconds = 120000;

/// Returns the first arguments of a command that uses the fake worker.
QStringList withFakeWorker(const QString& command, const QString& config, const char* behavior)
{
    return {command,
            config,
            QStringLiteral("--device"),
            QStringLiteral("cpu"),
            QStringLiteral("--worker"),
            QStringLiteral("\"" BATCHPEAK_FAKE_WORKER "\" ") + QString::fromUtf8(behavior)};
}

/// Returns the exit code as a shell reports it: 128 + signal if a signal ended the process.
int exitCodeOf(const QProcess& ended)
{
    return ended.exitCode() + (ended.exitStatus() == QProcess::CrashExit ? 128 : 0);
}

ProgramRun runAs(QProcess& process, const QStringList& arguments, const QProcessEnvironment& environment)
{
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(BATCHPEAK_PROGRAM), arguments);
    process.closeWriteChannel();
    ProgramRun run;
    if (!process.waitForFinished(longestRunMilliseconds)) {
        process.kill();
        process.waitForFinished();
        return run;
    }
    run.exitCode = exitCodeOf(process);
    run.out = QString::fromUtf8(process.readAllStandardOutput());
    run.err = QString::fromUtf8(process.readAllStandardError());
    return run;
}

} // namespace

bool ProgramRun::succeeded(std::initializer_list<const char*> answers) const
{
    return exitCode == 0 &&
           std::ranges::all_of(answers, [this](const char* part) { return this->answers(part); });
}

bool ProgramRun::refused(std::initializer_list<const char*> remarks) const
{
    return exitCode == 1 && out.isEmpty() && this->remarks("batchpeak: ") &&
           std::ranges::all_of(remarks, [this](const char* part) { return this->remarks(part); });
}

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
    return runAs(process, arguments, environment);
}

ProgramRun runProgram(const QStringList& arguments)
{
    return runProgram(arguments, environmentWithoutDisplay());
}

ProgramRun runWithSmallFiles(const QStringList& arguments, const QProcessEnvironment& environment)
{
    QProcess process;
    process.setChildProcessModifier([] {
        constexpr rlimit small{.rlim_cur = 8192, .rlim_max = 8192};
        setrlimit(RLIMIT_FSIZE, &small);
    });
    return runAs(process, arguments, environment);
}

ProgramRun runIntoHead(const QStringList& arguments, int lines)
{
    QProcess program;
    QProcess head;
    program.setProcessEnvironment(environmentWithoutDisplay());
    program.setStandardOutputProcess(&head);
    program.start(QStringLiteral(BATCHPEAK_PROGRAM), arguments);
    head.start(QStringLiteral("head"), {QStringLiteral("-n"), QString::number(lines)});
    ProgramRun run;
    if (!program.waitForFinished(longestSilenceMilliseconds)) {
        program.kill();
        program.waitForFinished();
        return run;
    }
    run.exitCode = exitCodeOf(program);
    head.waitForFinished();
    run.out = QString::fromUtf8(head.readAllStandardOutput());
    run.err = QString::fromUtf8(program.readAllStandardError());
    return run;
}

QProcessEnvironment environmentWithoutDisplay()
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QString::fromLatin1(name));
    return environment;
}

QStringList words(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

QString examplePath(const char* name)
{
    return QStringLiteral(BATCHPEAK_SOURCE_DIR "/resources/examples/") + QString::fromUtf8(name);
}

QByteArray exampleWithSize(const QByteArray& size)
{
    const QByteArray key("micro_batch_size: explore");
    QByteArray text = bytesOf(examplePath("gpt2-tiny.yaml"));
    return text.replace(text.indexOf(key), key.size(), "micro_batch_size: " + size);
}

QStringList exploreArguments(const char* behavior, const QStringList& options, const QString& config)
{
    // The ramp's second size is 2, at which the tests let the worker misbehave.
    return withFakeWorker(QStringLiteral("explore"), config, behavior) + words("--strategy ramp") + options;
}

QStringList trainArguments(const char* behavior, const QStringList& options)
{
    return withFakeWorker(QStringLiteral("train"), examplePath("gpt2-tiny.yaml"), behavior) + options;
}

RunningProgram::RunningProgram(const QStringList& arguments)
{
    m_process.setProcessEnvironment(environmentWithoutDisplay());
    m_process.start(QStringLiteral(BATCHPEAK_PROGRAM), arguments);
}

RunningProgram::~RunningProgram()
{
    m_process.kill();
    m_process.waitForFinished(longestSilenceMilliseconds);
}

bool RunningProgram::waitForAnswer(const QByteArray& text)
{
    return waitFor(QProcess::StandardOutput, m_out, text);
}

bool RunningProgram::waitForRemark(const QByteArray& text)
{
    return waitFor(QProcess::StandardError, m_err, text);
}

bool RunningProgram::waitFor(QProcess::ProcessChannel channel, QByteArray& said, const QByteArray& text)
{
    m_process.setReadChannel(channel);
    said += m_process.readAll();
    while (!said.contains(text)) {
        if (!m_process.waitForReadyRead(longestSilenceMilliseconds))
            return false;
        said += m_process.readAll();
    }
    return true;
}

bool RunningProgram::waitForEnd()
{
    const bool ended =
        m_process.state() == QProcess::NotRunning || m_process.waitForFinished(longestSilenceMilliseconds);
    m_out += m_process.readAllStandardOutput();
    return ended;
}

void RunningProgram::send(int signal) const
{
    batchpeak::test::sendSignal(m_process.processId(), signal);
}

std::vector<QJsonObject> eventsIn(const QByteArray& text)
{
    std::vector<QJsonObject> events;
    for (const QByteArray& line : text.trimmed().split('\n')) {
        const QJsonDocument document = QJsonDocument::fromJson(line);
        if (!document.isObject())
            return {};
        events.push_back(document.object());
    }
    return events;
}

QString nameOf(const QJsonObject& event)
{
    return event.value(QLatin1String("event")).toString();
}

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool writeBytes(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}
