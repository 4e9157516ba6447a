// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/memory_kills.h"
#include "trial/protocol.h"

#include <QByteArray>
#include <QDeadlineTimer>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace batchpeak::engine {

/// How long an exploration or a training waits for a worker: every wait has a name, a number and an end.
/// Tests make them short.
struct WorkerTimeouts
{
    /// As long as a person waits.
    static constexpr std::chrono::milliseconds unlimited = std::chrono::hours(24 * 3650);
    /// Start to hello. libtorch with CUDA took 16 s from a cold disk (measured once, right after
    /// installing); a launcher that queues may take longer than any number.
    std::chrono::milliseconds startUp = std::chrono::seconds(60);
    /// Between two lines that tell that the start is still waited for.
    std::chrono::milliseconds signOfWaiting = std::chrono::seconds(30);
    /// Load request to loaded: the initialization of some billions of parameters on a slow CPU.
    std::chrono::milliseconds load = std::chrono::minutes(5);
    /// From a load that found too little memory to the next, and how many follow: a driver takes up to some
    /// seconds to free what a killed process held.
    std::chrono::milliseconds untilMemoryIsBack = std::chrono::seconds(1);
    int loadsForMemory = 20;
    /// Beyond the time limit that the worker keeps itself: it looks at its clock between steps only,
    /// and on a CPU one step of a large size takes tens of seconds.
    std::chrono::milliseconds trialGrace = std::chrono::seconds(60);
    /// Training request to training ready: the data is read, and the tensors of a checkpoint.
    std::chrono::milliseconds training = std::chrono::minutes(5);
    /// From one sign of life of a batch to the next: one micro-batch, or the optimizer step. On a CPU the
    /// whole batch of a large network in one micro-batch takes minutes, and a training that is given up too
    /// early loses more than a late one.
    std::chrono::milliseconds batch = std::chrono::minutes(10);
    /// Save request to saved: tens of GiB to a network's disk.
    std::chrono::milliseconds save = std::chrono::minutes(10);
    /// Cancel to result of a trial or a comparison. A person waits for it, and one operation of a large size
    /// may take half a minute; nothing but the start of a fresh process is lost by killing the worker in it.
    std::chrono::milliseconds cancel{700};
    /// The same of a batch, whose worker is still to save what it has learned.
    std::chrono::milliseconds cancelBatch = std::chrono::seconds(3);
    /// "bye" and end of input to exit.
    std::chrono::milliseconds quit = std::chrono::seconds(2);
    /// SIGTERM to exit; SIGKILL follows.
    std::chrono::milliseconds terminate = std::chrono::seconds(2);
    /// SIGKILL to exit. The driver frees tens of GiB first; what a call of it holds for longer may never end.
    std::chrono::milliseconds kill = std::chrono::seconds(20);
};

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
    /// The last lines that it wrote on stderr, or on stdout before its first message.
    QStringList lastLines;
    /// It ended by itself, with an exit code: no signal ended it, and it could be started.
    bool hasExited = false;
    /// It is not gone: not even SIGKILL ended it.
    bool isStuck = false;
};

/// One process that speaks the trial protocol, from its start to its certain end.
///
/// It turns lines into messages, keeps the end of stderr and what is printed before the first message, and
/// ends the process: bye and end of input, then SIGTERM, then SIGKILL to the whole process group. What a
/// message means, and how long to wait for one, is the business of whoever owns it.
///
/// From end() on it reports its end and nothing else, so that a process that was given up cannot speak
/// into what comes after it.
class WorkerProcess : public QObject
{
    Q_OBJECT

public:
    /// \param memoryKills  makes what tells the kernel's SIGKILL from others'
    WorkerProcess(WorkerTimeouts timeouts, std::function<device::MemoryKills()> memoryKills, QObject* parent);
    /// Kills what still runs, and lets go of what is not gone in time.
    ~WorkerProcess() override;

    void start(const WorkerCommand& command);
    void send(const trial::ParentMessage& message);
    /// Asks the process to go; sooner or later ended() follows.
    void end();
    /// SIGKILL at once, for a process that no longer answers; ended() follows.
    void kill();
    /// SIGKILL, for one that is destroyed in a moment, together with others: from now on it is waited for.
    void killAtOnce();

    /// 0 when no process runs.
    qint64 pid() const { return m_process->processId(); }

signals:
    void messageReceived(const batchpeak::trial::WorkerMessage& message);
    /// It wrote something that is no message of a worker; only its end can follow.
    void protocolViolated(const QString& sentence);
    /// Exactly once after start(). No process is left, but for one that is stuck.
    void ended(const batchpeak::engine::WorkerEnd& end);

private:
    void readMessages();
    void readErrorLines();
    void keepLine(const QByteArray& line);
    void refuse(const QString& sentence);
    void endNextWay();
    QString exitSentence(int code) const;
    QString signalSentence(int signal) const;
    QString memorySentence() const;
    void reportEnd(const QString& sentence, bool hasExited, bool isStuck = false);

    std::unique_ptr<QProcess> m_process;
    WorkerTimeouts m_timeouts;
    QTimer m_ending;
    QByteArray m_unread;
    QByteArray m_unreadErrors;
    QStringList m_lastLines;
    bool m_hasSpoken = false;
    int m_linesBeforeHello = 0;
    QString m_text;
    qint64 m_group = 0;
    std::function<device::MemoryKills()> m_watchMemory;
    /// Since the start.
    std::optional<device::MemoryKills> m_memoryKills;
    bool m_silenced = false;
    bool m_terminated = false;
    bool m_isKilled = false;
    QDeadlineTimer m_untilGone;
    bool m_reported = false;
};

} // namespace batchpeak::engine
