// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/protocol.h"
#include "worker_timeouts.h"

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

#include <cstdint>
#include <functional>

namespace batchpeak::engine {

/// What is started: a program, its arguments, and what its environment has beside ours.
struct WorkerCommand
{
    QString program;
    QStringList arguments;
    /// "NAME=value"
    QStringList environment;

    /// As a person would type it.
    QString text() const;
};

/// How a worker went away.
struct WorkerEnd
{
    /// What happened, with what its exit codes mean (docs/trial-protocol.md), as a full sentence without a
    /// hint.
    QString sentence;
    /// The last lines that it wrote on stderr.
    QStringList lastLines;
};

/// One process that speaks the trial protocol, from its start to its certain end.
///
/// It turns lines into messages, keeps the end of stderr, and ends the process: bye and end of input,
/// then SIGTERM, then SIGKILL to the whole process group. What a message means, and how long to wait for
/// one, is the business of whoever owns it.
///
/// From end() on it reports its end and nothing else, so that a process that was given up cannot speak
/// into what comes after it.
class WorkerProcess : public QObject
{
    Q_OBJECT

public:
    /// \param memoryKills  processes that the kernel has ended for want of main memory; what tells its
    ///        SIGKILL from others'
    WorkerProcess(WorkerTimeouts timeouts, std::function<std::int64_t()> memoryKills, QObject* parent);
    /// Kills what still runs.
    ~WorkerProcess() override;

    void start(const WorkerCommand& command);
    void send(const trial::ParentMessage& message);
    /// Asks the process to go; sooner or later ended() follows.
    void end();
    /// SIGKILL at once, for a process that no longer answers; ended() follows.
    void kill();

    /// 0 when no process runs.
    qint64 pid() const { return m_process.processId(); }

signals:
    void messageReceived(const batchpeak::trial::WorkerMessage& message);
    /// It wrote something that is no message of a worker; only its end can follow.
    void protocolViolated(const QString& sentence);
    /// Exactly once after start(). No process is left.
    void ended(const batchpeak::engine::WorkerEnd& end);

private:
    void readMessages();
    void readErrorLines();
    void refuse(const QString& sentence);
    void endNextWay();
    QString exitSentence(int code) const;
    QString signalSentence(int signal) const;
    void reportEnd(const QString& sentence);

    QProcess m_process;
    WorkerTimeouts m_timeouts;
    QTimer m_ending;
    QByteArray m_unread;
    QByteArray m_unreadErrors;
    QStringList m_lastLines;
    QString m_text;
    qint64 m_group = 0;
    std::function<std::int64_t()> m_memoryKills;
    std::int64_t m_memoryKillsBefore = 0;
    bool m_silenced = false;
    bool m_terminated = false;
    bool m_reported = false;
};

} // namespace batchpeak::engine
