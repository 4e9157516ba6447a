// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "surroundings.h"

#include "command.h"
#include "console.h"

#include <QFile>
#include <QString>

#include <algorithm>
#include <pwd.h>
#include <sys/resource.h>
#include <unistd.h>

namespace batchpeak::cli {

namespace {

/// Of a worker, its pipes, the history, and what Qt and a driver open beside them, with some to spare.
constexpr rlim_t leastOpenFiles = 64;
/// As most systems have it; enough for each of very many devices.
constexpr rlim_t usualOpenFiles = 1024;

bool isAbsolute(const QByteArray& path)
{
    return path.startsWith('/');
}

QString noAbsolutePath(const char* name, const QByteArray& value)
{
    return QStringLiteral("%1 is '%2', which is no absolute path")
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
                   QStringLiteral(", and is ignored. Write all of the path, from / on."));
    }
}

/// As Python does: a service may have no HOME, for which Qt would take the root of the file system.
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
                    ? QStringLiteral("; %1 is taken in its place.").arg(QFile::decodeName(known))
                    : QStringLiteral(", and is ignored. Write all of the path, from / on.")));
}

/// \return whether so many files can be open at once as it takes
bool hasOpenFiles()
{
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= usualOpenFiles)
        return true;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = std::min(limit.rlim_max, usualOpenFiles);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        limit.rlim_cur = before;
    if (limit.rlim_cur >= leastOpenFiles)
        return true;
    printError(
        QStringLiteral("no more than %1 files may be open at once (ulimit -n), and %2 are needed. Raise "
                       "that limit.")
            .arg(limit.rlim_cur)
            .arg(leastOpenFiles));
    return false;
}

} // namespace

std::optional<int> settleSurroundings()
{
    ignoreRelativeFolders();
    findHome();
    return hasOpenFiles() ? std::nullopt : std::optional(exitCode::badInput);
}

} // namespace batchpeak::cli
