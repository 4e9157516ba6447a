// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "process_group.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QProcessEnvironment>
#include <QUuid>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <set>
#include <spawn.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace batchpeak::engine {

namespace {

// Runs in the child between fork and exec, so only async-signal-safe calls are allowed.
void bindToParent(pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // User programs do not expect that this signal is ignored, as it is in this program.
    std::signal(SIGXFSZ, SIG_DFL);
    // The parent may have died before prctl() took effect.
    if (getppid() != parent)
        _exit(1);
}

constexpr QLatin1String variable("BATCHPEAK_STARTED_IN");

/// Returns the marked processes that exist now and that this program may inspect.
std::vector<pid_t> startedIn(const QString& mark)
{
    const QByteArray entry = QByteArray(variable.data()) + '=' + mark.toLatin1();
    std::vector<pid_t> processes;
    for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        bool isNumber = false;
        const pid_t pid = name.toInt(&isNumber);
        QFile environment(QStringLiteral("/proc/%1/environ").arg(name));
        if (isNumber && environment.open(QIODevice::ReadOnly) &&
            environment.readAll().split('\0').contains(entry))
            processes.push_back(pid);
    }
    return processes;
}

/// Repeats the search, since processes may be started during it.
void killStartedIn(const QString& mark)
{
    constexpr int maxTimes = 5;
    for (int time = 0; time < maxTimes; ++time) {
        const std::vector<pid_t> processes = startedIn(mark);
        if (processes.empty())
            return;
        for (const pid_t pid : processes)
            ::kill(pid, SIGKILL);
    }
}

// Ensures that process groups do not outlive this program, however it ends. If the program is killed, the
// kernel kills the leaders of its groups, but not the processes that the leaders have started.
//
// A shell in its own session waits for the end of this program and kills the remaining groups. If the shell
// cannot be started, the groups are not guarded.

// The shell runs in the background, so that it is not a child of this program; its input ends when this
// program ends. It ignores signals that end a session or a job, because they are meant for this program,
// which may still have work to do.
const char* const script = R"(# What ends with batchpeak.
(
    trap '' HUP INT TERM
    cd /
    groups=
    while read -r word group; do
        left=
        for other in $groups; do
            [ "$other" = "$group" ] || left="$left $other"
        done
        groups=$left
        [ "$word" = guard ] && groups="$groups $group"
    done
    for group in $groups; do
        kill -9 "-$group"
    done
) <&3 3<&- &
)";

void spawnShell(int input)
{
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&files, input, 3);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    std::array<std::string, 3> words{"sh", "-c", script};
    const std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t shell = 0;
    if (posix_spawn(&shell, "/bin/sh", &files, &attributes, arguments.data(), environ) == 0) {
        while (waitpid(shell, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
}

/// \return the descriptor on which the shell listens until this program ends; -1 if there is no shell
int openGuard()
{
    std::array<int, 2> ends{-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return -1;
    spawnShell(ends[1]);
    close(ends[1]);
    return ends[0];
}

void tell(const char* word, qint64 leader)
{
    static const int guard = openGuard();
    const QByteArray line = QByteArray(word) + ' ' + QByteArray::number(leader) + '\n';
    // The shell may no longer exist.
    (void)send(guard, line.constData(), static_cast<std::size_t>(line.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void guardGroup(qint64 leader)
{
    tell("guard", leader);
}

/// Stops guarding a group that has ended: its number may already belong to another process.
void forgetGroup(qint64 leader)
{
    tell("forget", leader);
}

/// Guards the group of a process from its start to its end.
class GuardedGroup : public QObject
{
public:
    explicit GuardedGroup(QProcess* process)
        : QObject(process), m_mark(QUuid::createUuid().toString(QUuid::WithoutBraces))
    {
        QProcessEnvironment environment = process->processEnvironment();
        if (environment.isEmpty())
            environment = QProcessEnvironment::systemEnvironment();
        environment.insert(variable, m_mark);
        process->setProcessEnvironment(environment);
        connect(process, &QProcess::started, this, [this, process] {
            m_leader = process->processId();
            guardGroup(m_leader);
        });
        connect(process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
            m_endedWell = status == QProcess::NormalExit && code == 0;
            forget();
        });
    }
    ~GuardedGroup() override { forget(); }
    Q_DISABLE_COPY_MOVE(GuardedGroup)

private:
    void forget()
    {
        const qint64 leader = std::exchange(m_leader, 0);
        if (leader <= 0)
            return;
        forgetGroup(leader);
        if (!m_endedWell)
            killStartedIn(m_mark);
    }

    const QString m_mark;
    qint64 m_leader = 0;
    bool m_endedWell = false;
};

/// Processes that are no longer waited for. They are not destroyed before they end, since QProcess would
/// wait.
std::set<QProcess*>& abandoned()
{
    static auto* const processes = new std::set<QProcess*>;
    return *processes;
}

} // namespace

void leadOwnGroup(QProcess& process)
{
    process.setChildProcessModifier([parent = getpid()] { bindToParent(parent); });
    new GuardedGroup(&process);
}

void signalGroup(const QProcess& process, qint64 leader, int signal)
{
    if (leader <= 0)
        return;
    // The group does not exist yet while the child is between fork and setpgid.
    const auto group = static_cast<pid_t>(leader);
    if (::kill(-group, signal) != 0 && process.state() != QProcess::NotRunning)
        ::kill(group, signal);
}

void abandon(std::unique_ptr<QProcess> process)
{
    QProcess* const kept = process.release();
    kept->disconnect();
    abandoned().insert(kept);
    QObject::connect(kept, &QProcess::finished, kept, [kept] {
        abandoned().erase(kept);
        kept->deleteLater();
    });
}

void destroyKilled(std::unique_ptr<QProcess> process, QDeadlineTimer until)
{
    process->disconnect();
    const bool isGone = process->state() == QProcess::NotRunning ||
                        process->waitForFinished(static_cast<int>(until.remainingTime()));
    if (!isGone)
        abandon(std::move(process));
}

} // namespace batchpeak::engine
