// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "surroundings.h"

#include "command.h"
#include "console.h"
#include "workers/spare_thread.h"

#include <QFile>
#include <QString>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <future>
#include <iterator>
#include <pthread.h>
#include <pwd.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace batchpeak::cli {

namespace {

/// Number of open files for a worker, its pipes, the history, and the files that Qt and a driver open in
/// addition, with some to spare.
constexpr rlim_t minOpenFiles = 64;
/// The default of most systems; enough for each of very many devices.
constexpr rlim_t defaultOpenFiles = 1024;

/// Bytes of stack for a thread's own variables: those of the code that reads a config, of libtorch, and of
/// every other library.
constexpr rlim_t minStack = rlim_t{1} << 20U;
/// The default of most systems.
constexpr rlim_t defaultStack = rlim_t{8} << 20U;

/// Number of threads: those of the display (Qt has two for Wayland) and of D-Bus, and the one that paints.
constexpr int threadsOfWindow = 4;

bool isAbsolute(const QByteArray& path)
{
    return path.startsWith('/');
}

QString noAbsolutePath(const char* name, const QByteArray& value)
{
    return QStringLiteral("%1 is '%2', which is not an absolute path")
        .arg(QLatin1String(name), QFile::decodeName(value));
}

void ignoreRelativeFolders()
{
    for (const char* name :
         {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}) {
        const QByteArray folder = qgetenv(name);
        if (folder.isEmpty() || isAbsolute(folder))
            continue;
        qunsetenv(name);
        printError(noAbsolutePath(name, folder) +
                   QStringLiteral(", and is ignored. Write the whole path, starting with /."));
    }
}

/// Looks HOME up in the user database, as Python does: a service may have no HOME, and Qt would use the root
/// of the file system instead.
void findHome()
{
    const QByteArray home = qgetenv("HOME");
    if (isAbsolute(home))
        return;
    const passwd* const user = getpwuid(geteuid());
    const QByteArray known = user ? QByteArray(user->pw_dir) : QByteArray();
    if (isAbsolute(known))
        qputenv("HOME", known);
    else if (!home.isEmpty())
        qunsetenv("HOME");
    if (home.isEmpty())
        return;
    printError(noAbsolutePath("HOME", home) +
               (isAbsolute(known)
                    ? QStringLiteral("; %1 is used instead.").arg(QFile::decodeName(known))
                    : QStringLiteral(", and is ignored. Write the whole path, starting with /.")));
}

/// Raises a limit that is below the wanted value, as far as the system allows.
/// \return the limit afterward
rlim_t raised(decltype(RLIMIT_NOFILE) resource, rlim_t wanted)
{
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= wanted)
        return wanted;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = std::min(limit.rlim_max, wanted);
    return setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before;
}

/// \return whether enough files can be open at once
bool hasOpenFiles()
{
    const rlim_t max = raised(RLIMIT_NOFILE, defaultOpenFiles);
    if (max >= minOpenFiles)
        return true;
    printError(
        QStringLiteral("no more than %1 files may be open at once (ulimit -n), and %2 are needed. Raise "
                       "that limit.")
            .arg(max)
            .arg(minOpenFiles));
    return false;
}

/// Sets the least stack size of threads that are created from here on. Otherwise they get the limit that
/// applied when the program began, however small.
void giveThreadsAtLeast(std::size_t bytes)
{
    pthread_attr_t defaults;
    std::size_t now = 0;
    if (pthread_getattr_default_np(&defaults) != 0)
        return;
    if (pthread_attr_getstacksize(&defaults, &now) == 0 && now < bytes &&
        pthread_attr_setstacksize(&defaults, bytes) == 0)
        (void)pthread_setattr_default_np(&defaults);
    pthread_attr_destroy(&defaults);
}

/// Checks the stack limit, since the system kills a program that exhausts its stack without a message.
/// \return whether each thread's stack may grow as far as needed
bool hasStack()
{
    constexpr rlim_t kibibyte = 1024;
    const rlim_t max = raised(RLIMIT_STACK, defaultStack);
    if (max >= minStack) {
        giveThreadsAtLeast(minStack);
        return true;
    }
    printError(QStringLiteral("a thread's stack may have no more than %1 KiB (ulimit -s), and %2 are needed. "
                              "Raise that limit.")
                   .arg(max / kibibyte)
                   .arg(minStack / kibibyte));
    return false;
}

/// Whether \p count threads can exist at once.
bool canHaveThreads(int count)
{
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future().share();
    std::vector<std::jthread> threads;
    while (std::ssize(threads) < count) {
        threads.push_back(engine::spareThread<std::jthread>([ended] { ended.get(); }));
        if (!threads.back().joinable())
            break;
    }
    const bool hasAll = threads.back().joinable();
    end.set_value();
    return hasAll;
}

} // namespace

std::optional<int> resolveSurroundings()
{
    ignoreRelativeFolders();
    findHome();
    return hasOpenFiles() && hasStack() ? std::nullopt : std::optional(exitCode::badInput);
}

std::optional<int> refuseTooFewThreads()
{
    if (canHaveThreads(threadsOfWindow))
        return std::nullopt;
    printError(
        engine::noThreadText(QStringLiteral("A window needs %1 of them. Raise that limit, or explore in "
                                            "the terminal: batchpeak explore.")
                                 .arg(threadsOfWindow)));
    return exitCode::badInput;
}

int endWithoutMemory()
{
    std::fputs(
        "batchpeak: the system gives this program no more memory. End other programs, or raise its limit "
        "(ulimit -v).\n",
        stderr);
    return exitCode::badInput;
}

} // namespace batchpeak::cli
