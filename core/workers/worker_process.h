// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/memory_kills.h"
#include "trial/protocol.h"

#include <QByteArray>
#include <QDeadlineTimer>
#include <QObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>
#include <QTimer>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace batchpeak::engine {

/// Time limits for an exploration or a training that waits for a worker: every wait has a limit. Tests
/// shorten them.
struct WorkerTimeouts
{
    /// No limit other than the user's patience.
    static constexpr std::chrono::milliseconds unlimited = std::chrono::hours(24 * 3650);
    /// From start to hello. libtorch with CUDA took 16 s from a cold disk (measured once, right after
    /// installing); a launcher that queues may take any amount of time.
    std::chrono::milliseconds startUp = std::chrono::seconds(60);
    /// Interval between log lines that report that the start is still pending.
    std::chrono::milliseconds signOfWaiting = std::chrono::seconds(30);
    /// From load request to loaded: the initialization of some billions of parameters on a slow CPU.
    std::chrono::milliseconds load = std::chrono::minutes(5);
    /// Delay after a load that found too little memory until the next load, and number of such repeated
    /// loads: a driver takes up to some seconds to free the memory of a killed process.
    std::chrono::milliseconds untilMemoryIsBack = std::chrono::seconds(1);
    int loadsForMemory = 20;
    /// Time added to the time limit that the worker itself observes: the worker checks its clock only between
    /// steps, and on a CPU one step of a large size takes tens of seconds.
    std::chrono::milliseconds trialGrace = std::chrono::seconds(60);
    /// From training request to training ready: the worker reads the data and the tensors of a checkpoint.
    std::chrono::milliseconds training = std::chrono::minutes(5);
    /// From one sign of progress in a batch to the next: one micro-batch, or the optimizer step. On a CPU the
    /// whole batch of a large network in one micro-batch takes minutes, and giving up a training too early
    /// loses more than waiting too long.
    std::chrono::milliseconds batch = std::chrono::minutes(10);
    /// From save request to saved: tens of GiB to a network disk.
    std::chrono::milliseconds save = std::chrono::minutes(10);
    /// From cancel to the result of a trial or a comparison. The user waits for it, and one operation of a
    /// large size may take half a minute; killing the worker costs only the start of a fresh process.
    std::chrono::milliseconds cancel{700};
    /// From cancel to the result of a batch, whose worker must still save the trained state.
    std::chrono::milliseconds cancelBatch = std::chrono::seconds(3);
    /// Pause between two heartbeats on the link to a place; after trial::heartbeatsUntilDead of them without
    /// any message, the link is dead. A Python that imports or compiles may not speak for some seconds.
    std::chrono::milliseconds heartbeat = std::chrono::seconds(5);
    /// From "bye" and end of input to exit.
    std::chrono::milliseconds quit = std::chrono::seconds(2);
    /// From SIGTERM to exit; SIGKILL follows.
    std::chrono::milliseconds terminate = std::chrono::seconds(2);
    /// From SIGKILL to exit. The driver first frees tens of GiB; a process that a driver call holds for
    /// longer may never end.
    std::chrono::milliseconds kill = std::chrono::seconds(20);
};

/// Command to start: a program, its arguments, and variables added to our environment.
struct WorkerCommand
{
    QString program;
    QStringList arguments;
    /// "NAME=value"
    QStringList environment;
    /// Whether it is ended by SIGTERM first, even if the worker no longer responds: a launcher then ends what
    /// it has started elsewhere, and after SIGKILL it could not.
    bool isLauncher = false;

    /// Returns the command as a user would type it.
    QString text() const;
    /// Returns the environment of this program with that of the command.
    QProcessEnvironment wholeEnvironment() const;
};

/// How a worker process ended.
struct WorkerEnd
{
    /// What happened, including the meaning of its exit code (docs/trial-protocol.md), as a full sentence
    /// without a hint.
    QString sentence;
    /// Last lines that it wrote to stderr, or to stdout before its first message.
    QStringList lastLines;
    /// Exit code, if it exited by itself: it could be started, and no signal ended it.
    std::optional<int> exitCode = {};
    /// Whether the process still exists because not even SIGKILL ended it.
    bool isStuck = false;
};

/// One process that speaks the trial protocol, from its start until it has certainly ended.
///
/// It turns lines into messages, keeps the end of stderr and the output before the first message, and ends
/// the process: bye and end of input, then SIGTERM, then SIGKILL to the whole process group. Its owner
/// decides what a message means, and how long to wait for one.
///
/// After end() it reports its end and nothing else, so that a process that was given up cannot interfere with
/// what follows.
class WorkerProcess : public QObject
{
    Q_OBJECT

public:
    /// \param memoryKills  creates the object that distinguishes the kernel's out-of-memory SIGKILL from
    ///        others
    WorkerProcess(WorkerTimeouts timeouts, std::function<device::MemoryKills()> memoryKills, QObject* parent);
    /// Kills a process that is still running, and abandons it if it does not end in time.
    ~WorkerProcess() override;

    void start(const WorkerCommand& command);
    void send(const trial::ParentMessage& message);
    /// Asks the process to exit, and kills it if necessary; ended() follows.
    void end();
    /// Sends SIGKILL immediately, for a process that no longer responds; ended() follows.
    void kill();
    /// Sends SIGKILL to a process that will be destroyed in a moment together with others; the wait for its
    /// end counts from this call.
    void killAtOnce();

    /// Returns the process id; 0 if no process runs.
    qint64 pid() const { return m_process->processId(); }

signals:
    void messageReceived(const batchpeak::trial::WorkerMessage& message);
    /// Emitted if it wrote a line that is not a message of a worker; after that, only ended() can follow.
    void protocolViolated(const QString& sentence);
    /// Emitted exactly once after start(). No process is left, except one that is stuck.
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
    void reportEnd(const QString& sentence, std::optional<int> exitCode, bool isStuck = false);

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
    /// Out-of-memory kills since the start of the process.
    std::optional<device::MemoryKills> m_memoryKills;
    bool m_silenced = false;
    bool m_isLauncher = false;
    bool m_terminated = false;
    bool m_isKilled = false;
    QDeadlineTimer m_untilGone;
    bool m_reported = false;
};

} // namespace batchpeak::engine
