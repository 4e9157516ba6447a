// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "group_guard.h"

#include <QByteArray>

#include <array>
#include <cerrno>
#include <string>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace batchpeak::engine {

namespace {

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

} // namespace

void guardGroup(qint64 leader)
{
    tell("guard", leader);
}

void forgetGroup(qint64 leader)
{
    tell("forget", leader);
}

} // namespace batchpeak::engine
