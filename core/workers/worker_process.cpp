// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker_process.h"

#include "process_group.h"
#include "text/readable_text.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace batchpeak::engine {

namespace {

// Enough for the end of a Python traceback, and few enough for a message box.
constexpr int keptLines = 20;
constexpr int keptLineBytes = 1000;
// Environments, launchers and libraries print only some lines when they start.
constexpr int maxLinesBeforeHello = 100;
// docs/trial-protocol.md: the device is in a state that only a fresh process clears.
constexpr int stickyDeviceErrorCode = 42;

/// Returns why a process was not started. If a limit is reached, the system's message only says that a
/// resource is temporarily unavailable.
QString reasonOf(const QProcess& process)
{
    const QString reason = process.errorString();
    return reason.contains(qt_error_string(EAGAIN))
               ? WorkerProcess::tr("%1; a limit of processes (ulimit -u, docker --pids-limit) may be reached")
                     .arg(reason)
               : reason;
}

} // namespace

QString WorkerCommand::text() const
{
    return (QStringList(program) + arguments).join(QLatin1Char(' '));
}

QProcessEnvironment WorkerCommand::wholeEnvironment() const
{
    QProcessEnvironment whole = QProcessEnvironment::systemEnvironment();
    for (const QString& entry : environment)
        whole.insert(entry.section(QLatin1Char('='), 0, 0), entry.section(QLatin1Char('='), 1));
    return whole;
}

WorkerProcess::WorkerProcess(WorkerTimeouts timeouts, std::function<device::MemoryKills()> memoryKills,
                             QObject* parent)
    : QObject(parent),
      m_process(std::make_unique<QProcess>()),
      m_timeouts(timeouts),
      m_watchMemory(std::move(memoryKills))
{
    m_ending.setSingleShot(true);
    connect(&m_ending, &QTimer::timeout, this, &WorkerProcess::endNextWay);
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &WorkerProcess::readMessages);
    connect(m_process.get(), &QProcess::readyReadStandardError, this, &WorkerProcess::readErrorLines);
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        // Every other error is followed by finished().
        if (error == QProcess::FailedToStart)
            reportEnd(tr("%1 could not be started: %2.").arg(m_text, reasonOf(*m_process)), std::nullopt);
    });
    connect(m_process.get(), &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        readMessages();
        readErrorLines();
        if (status == QProcess::NormalExit)
            reportEnd(exitSentence(code), code);
        else
            reportEnd(signalSentence(code), std::nullopt);
    });
}

WorkerProcess::~WorkerProcess()
{
    m_process->disconnect(this);
    killAtOnce();
    destroyKilled(std::move(m_process), m_untilGone);
}

void WorkerProcess::killAtOnce()
{
    if (m_process->state() == QProcess::NotRunning || std::exchange(m_isKilled, true))
        return;
    signalGroup(*m_process, m_group, SIGKILL);
    m_untilGone.setRemainingTime(m_timeouts.kill);
}

void WorkerProcess::start(const WorkerCommand& command)
{
    m_text = command.text();
    m_isLauncher = command.isLauncher;
    m_process->setProgram(command.program);
    m_process->setArguments(command.arguments);
    m_process->setProcessEnvironment(command.wholeEnvironment());
    m_memoryKills = m_watchMemory();
    leadOwnGroup(*m_process);
    m_process->start();
    m_group = m_process->processId();
}

void WorkerProcess::send(const trial::ParentMessage& message)
{
    if (m_process->state() == QProcess::NotRunning)
        return;
    // A launcher may move the processes that it starts to another control group at any time.
    m_memoryKills->include(pid());
    const std::string line = trial::toLine(message);
    m_process->write(line.data(), static_cast<qint64>(line.size()));
}

void WorkerProcess::end()
{
    if (m_ending.isActive() || m_terminated)
        return;
    m_silenced = true;
    send(trial::Bye{});
    m_process->closeWriteChannel();
    m_ending.start(m_timeouts.quit);
}

void WorkerProcess::kill()
{
    if (m_isKilled)
        return;
    m_silenced = true;
    m_terminated = m_terminated || !m_isLauncher;
    endNextWay();
}

void WorkerProcess::endNextWay()
{
    if (m_isKilled) {
        const qint64 pid = m_process->processId();
        abandon(std::exchange(m_process, std::make_unique<QProcess>()));
        m_group = 0;
        return reportEnd(
            tr("The worker cannot be ended: process %1 is stuck in a call of its driver. Restart the "
               "computer to get the device back.")
                .arg(pid),
            std::nullopt, true);
    }
    if (std::exchange(m_terminated, true)) {
        killAtOnce();
        m_ending.start(m_timeouts.kill);
        return;
    }
    signalGroup(*m_process, m_group, SIGTERM);
    m_ending.start(m_timeouts.terminate);
}

void WorkerProcess::readMessages()
{
    m_unread += m_process->readAllStandardOutput();
    qsizetype start = 0;
    while (!m_silenced) {
        const qsizetype end = m_unread.indexOf('\n', start);
        const qsizetype length = (end < 0 ? m_unread.size() : end) - start;
        if (length > static_cast<qsizetype>(trial::maxLineBytes))
            return refuse(tr("It wrote a line of more than 1 MiB."));
        if (end < 0)
            break;
        const QByteArrayView line(m_unread.constData() + start, length);
        start = end + 1;
        if (!m_hasSpoken && !line.trimmed().startsWith('{') && m_linesBeforeHello < maxLinesBeforeHello) {
            ++m_linesBeforeHello;
            keepLine(line.toByteArray());
            continue;
        }
        m_hasSpoken = true;
        const auto message =
            trial::parseWorkerMessage({line.constData(), static_cast<std::size_t>(line.size())});
        if (const auto* error = std::get_if<trial::ProtocolError>(&message))
            return refuse(QString::fromStdString(error->text));
        emit messageReceived(std::get<trial::WorkerMessage>(message));
    }
    m_unread.remove(0, m_silenced ? m_unread.size() : start);
}

void WorkerProcess::refuse(const QString& sentence)
{
    m_silenced = true;
    m_unread.clear();
    emit protocolViolated(sentence);
}

void WorkerProcess::readErrorLines()
{
    m_unreadErrors += m_process->readAllStandardError();
    QList<QByteArray> lines = m_unreadErrors.split('\n');
    m_unreadErrors = lines.takeLast().left(keptLineBytes);
    if (m_process->state() == QProcess::NotRunning)
        lines.append(std::exchange(m_unreadErrors, {}));
    for (const QByteArray& line : std::as_const(lines))
        keepLine(line);
}

void WorkerProcess::keepLine(const QByteArray& line)
{
    if (!line.trimmed().isEmpty())
        m_lastLines.append(QString::fromUtf8(line.left(keptLineBytes)));
    if (m_lastLines.size() > keptLines)
        m_lastLines.removeFirst();
}

QString WorkerProcess::exitSentence(int code) const
{
    // Offset that shells, containers and launchers add to the number of the signal that ended their child.
    constexpr int signaled = 128;
    if (code == signaled + SIGKILL)
        return m_memoryKills->haveHappened()
                   ? memorySentence()
                   : tr("The worker ended with exit code %1: signal 9 (Killed) ended what it had started, as "
                        "where its container or its group has no main memory left.")
                         .arg(code);
    return code == stickyDeviceErrorCode
               ? tr("The device reported an error that only a fresh process clears.")
               : tr("The worker ended with exit code %1.").arg(code);
}

QString WorkerProcess::signalSentence(int signal) const
{
    if (signal == SIGKILL && m_memoryKills->haveHappened())
        return memorySentence();
    return tr("The worker was ended by signal %1 (%2).")
        .arg(signal)
        .arg(QString::fromLocal8Bit(strsignal(signal)));
}

QString WorkerProcess::memorySentence() const
{
    if (const auto limit = m_memoryKills->limitBytes())
        return tr("The kernel ended the worker, since its control group may hold no more than %1 of main "
                  "memory.")
            .arg(bytesText(*limit));
    return tr("The kernel ended the worker, since the computer or its container had no main memory left.");
}

void WorkerProcess::reportEnd(const QString& sentence, std::optional<int> exitCode, bool isStuck)
{
    if (std::exchange(m_reported, true))
        return;
    m_ending.stop();
    m_silenced = true;
    // A launcher may have exited while its children still run.
    signalGroup(*m_process, m_group, SIGKILL);
    m_group = 0;
    emit ended({.sentence = sentence, .lastLines = m_lastLines, .exitCode = exitCode, .isStuck = isStuck});
}

} // namespace batchpeak::engine
