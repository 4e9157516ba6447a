// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "events_file.h"

#include "command.h"
#include "config_output.h"
#include "console.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <utility>

namespace batchpeak::cli {

namespace {

/// One that an earlier command may have written: without content, or with an event in its first line.
bool holdsEvents(const QString& path)
{
    // The longest line of events is far shorter.
    constexpr qint64 longestLine = 1 << 20;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray first = file.readLine(longestLine);
    return first.isEmpty() || QJsonDocument::fromJson(first).object().contains(QLatin1String("event"));
}

void refuseToReplace(const QString& path, const QStringList& inputs, bool force)
{
    const auto isIt = [&path](const QString& input) { return isSameFile(path, input); };
    if (std::ranges::any_of(inputs, isIt)) {
        throw UsageError(QStringLiteral("--events %1 would overwrite a file that this command needs; name "
                                        "another file for the events.")
                             .arg(path)
                             .toStdString());
    }
    const QFileInfo there(path);
    if (force || !there.exists() || !there.isFile() || holdsEvents(path))
        return;
    throw UsageError(
        QStringLiteral("%1 is there already and holds no events, so it was not overwritten; name "
                       "another file for the events, or add --force.")
            .arg(path)
            .toStdString());
}

} // namespace

void addEventsOption(Options& options, std::string& target)
{
    options.addText("--events", "FILE", "Write events as JSON Lines; - stands for stdout", target);
}

EventsFile::EventsFile(const std::string& target, const QStringList& inputs, bool force)
    : m_file(QString::fromStdString(target))
{
    if (target.empty())
        return;
    if (target != "-")
        refuseToReplace(m_file.fileName(), inputs, force);
    const bool opened =
        target == "-" ? m_file.open(stdout, QIODevice::WriteOnly) : m_file.open(QIODevice::WriteOnly);
    if (!opened) {
        throw UsageError(QStringLiteral("%1 cannot be written: %2. Name another file for the events.")
                             .arg(m_file.fileName(), m_file.errorString())
                             .toStdString());
    }
}

void EventsFile::sayMissing(const QString& problem, Console& console)
{
    if (problem.isEmpty() || !m_problem.isEmpty())
        return;
    m_problem = problem;
    console.remark(QStringLiteral("warning: Events are missing from here on: %1. Everything else goes on.")
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
