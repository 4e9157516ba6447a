// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "events_file.h"

#include "command.h"
#include "console.h"
#include "files/output_place.h"
#include "signal_relay.h"

#include <QDateTime>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace batchpeak::cli {

namespace {

/// Whether an object is the first event of a file of events, of any schema version (docs/events.md). Files of
/// other programs may hold events too.
bool isFirstEvent(const QJsonObject& object)
{
    static const QStringList first{QStringLiteral("started"), QStringLiteral("training_started"),
                                   QStringLiteral("confirmation")};
    return first.contains(object[QLatin1String("event")].toString()) &&
           object[QLatin1String("schema")].toInt() > 0 &&
           QDateTime::fromString(object[QLatin1String("time")].toString(), Qt::ISODateWithMs).isValid();
}

/// Whether an earlier command may have written the file: it is empty, or its first line holds such an event.
bool holdsEvents(const QString& path)
{
    // The longest line of an event is far shorter.
    constexpr qint64 longestLine = 1 << 20;
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray first = file.readLine(longestLine);
    return first.isEmpty() || isFirstEvent(QJsonDocument::fromJson(first).object());
}

void refuseToReplace(const QString& path, const QStringList& needed, bool force)
{
    const auto obstacle = engine::obstacleTo(path, needed, holdsEvents(path));
    if (obstacle == engine::OutputObstacle::Needed) {
        throw UsageError(QStringLiteral("--events %1 would overwrite a file that this command needs; name "
                                        "another file for the events.")
                             .arg(path)
                             .toStdString());
    }
    if (obstacle == engine::OutputObstacle::None || force)
        return;
    throw UsageError(QStringLiteral("%1 already exists and contains no events, so it was not overwritten; "
                                    "name another file for the events, or add --force.")
                         .arg(path)
                         .toStdString());
}

/// Whether the events in the file are those of that exploration of the history.
bool holdsEventsOf(qint64 exploration, const QString& path)
{
    QFile file(path);
    qint64 last = 0;
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly))
        return false;
    while (!file.atEnd()) {
        const QByteArray line = file.readLine();
        if (line.contains("\"recorded\""))
            last = QJsonDocument::fromJson(line).object()[QLatin1String("exploration")].toInteger(last);
    }
    return last == exploration;
}

/// Empties the opened file unless its content is kept, and locks it against other programs while it is open.
/// Does nothing for a pipe or a device; a file system without locks is not an error. \throws UsageError if
/// another program writes into the file
void makeOurs(int descriptor, const QString& path, bool isKept)
{
    struct stat status
    {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        throw UsageError(
            QStringLiteral("another program writes its events into %1; name another file for the events.")
                .arg(path)
                .toStdString());
    }
    if (!isKept)
        (void)!::ftruncate(descriptor, 0);
    // A program that was killed may have left half of a line.
    else if (status.st_size > 0)
        (void)!::write(descriptor, "\n", 1);
}

/// Opens a file for events. Each line is appended at the current end of the file: another program that
/// empties the file meanwhile leaves no gap. Opening does not wait for a reader of a pipe, but writing waits
/// for a slow one.
///
/// \return a value below 0 if the system gives a reason in errno
int openForEvents(const QString& path)
{
    constexpr mode_t rights = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
    constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    const int descriptor = ::open(QFile::encodeName(path).constData(), flags | O_NONBLOCK, rights);
    if (descriptor >= 0)
        (void)::fcntl(descriptor, F_SETFL, flags);
    return descriptor;
}

} // namespace

void addEventsOption(Options& options, std::string& target)
{
    options.addText("--events", "FILE", "Write events as JSON Lines; - is stdout",
                    [&target](const std::string& text) {
                        target = leadsToStdout(QString::fromStdString(text)) ? "-" : text;
                    });
}

EventsFile::EventsFile(const std::string& target, const QStringList& needed, bool force)
    : m_file(QString::fromStdString(target))
{
    if (!target.empty() && target != "-")
        refuseToReplace(m_file.fileName(), needed, force);
}

QIODevice* EventsFile::open(std::optional<qint64> resumed)
{
    const QString target = m_file.fileName();
    if (target.isEmpty())
        return nullptr;
    if (target == QLatin1String("-")) {
        m_file.open(stdout, QIODevice::WriteOnly);
        return &m_file;
    }
    const bool isKept = resumed && holdsEventsOf(*resumed, target);
    const int descriptor = openForEvents(target);
    if (descriptor < 0) {
        const QString reason =
            errno == ENXIO ? QStringLiteral("no program reads from it") : qt_error_string(errno);
        throw UsageError(QStringLiteral("%1 cannot be written: %2. Name another file for the events.")
                             .arg(target, reason)
                             .toStdString());
    }
    m_file.open(descriptor, QIODevice::WriteOnly, QFileDevice::AutoCloseHandle);
    makeOurs(descriptor, target, isKept);
    return &m_file;
}

void EventsFile::sayMissing(const QString& problem, Console& console)
{
    if (problem.isEmpty() || !m_problem.isEmpty())
        return;
    m_problem = problem;
    // A reader of events on stdout that is gone ends the run, as a reader of answers would.
    if (m_file.handle() == STDOUT_FILENO && problem == qt_error_string(EPIPE))
        SignalRelay::noteThatReaderIsGone();
    console.remark(QStringLiteral("warning: Events are missing from here on: %1. Everything else continues.")
                       .arg(problem));
}

int EventsFile::codeWith(int code) const
{
    if (m_problem.isEmpty())
        return code;
    printError(QStringLiteral("the events could not all be written: %1. Name another file for them.")
                   .arg(m_problem));
    return code == exitCode::success ? exitCode::notWritten : code;
}

} // namespace batchpeak::cli
