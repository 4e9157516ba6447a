// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "explorer_process.h"

#include "workers/process_group.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcessEnvironment>

#include <csignal>
#include <utility>

using namespace batchpeak;

namespace {

/// Time limit for the end of the program, whose worker may take 4 s to end.
constexpr int endMilliseconds = 15000;

QString textOf(const QJsonObject& event, const char* key)
{
    return event.value(QLatin1String(key)).toString();
}

double numberOf(const QJsonObject& event, const char* key)
{
    return event.value(QLatin1String(key)).toDouble();
}

} // namespace

ExplorerEnd explorerEnd(const QByteArray& events)
{
    ExplorerEnd end;
    for (const QByteArray& line : events.split('\n')) {
        const QJsonObject event = QJsonDocument::fromJson(line).object();
        const QString name = textOf(event, "event");
        if (name == QLatin1String("trial_finished") && textOf(event, "outcome") == QLatin1String("oom"))
            ++end.outOfMemory;
        if (name != QLatin1String("finished"))
            continue;
        const QString status = textOf(event, "status");
        end.isFinished = status != QLatin1String("cancelled") && status != QLatin1String("failed");
        if (!end.isFinished || event.value(QLatin1String("micro_batch_size")).isNull())
            continue;
        const QJsonValue error = event.value(QLatin1String("relative_error"));
        end.exploration = {.size = static_cast<std::int64_t>(numberOf(event, "micro_batch_size")),
                           .stated = numberOf(event, "confidence") / 100.0,
                           .samplesPerSecond = numberOf(event, "samples_per_second"),
                           .relativeError = error.isDouble() ? std::optional(error.toDouble()) : std::nullopt,
                           .trials = static_cast<int>(numberOf(event, "trials")),
                           .seconds = numberOf(event, "wall_seconds"),
                           .outOfMemory = end.outOfMemory};
    }
    return end;
}

ExplorerProcess::ExplorerProcess(const QString& program, const QStringList& arguments,
                                 std::function<void()> ended)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_HOME"), m_history.path());
    m_process.setProcessEnvironment(environment);
    connect(&m_process, &QProcess::readyReadStandardOutput, this,
            [this] { m_events += m_process.readAllStandardOutput(); });
    connect(&m_process, &QProcess::readyReadStandardError, this,
            [this] { m_complaints += m_process.readAllStandardError(); });
    connect(&m_process, &QProcess::finished, this, [ended] { ended(); });
    connect(&m_process, &QProcess::errorOccurred, this, [this, ended](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return;
        m_complaints = m_process.errorString().toUtf8();
        ended();
    });
    engine::leadOwnGroup(m_process);
    m_process.start(program, arguments + QStringList{QStringLiteral("--quiet"), QStringLiteral("--events"),
                                                     QStringLiteral("-")});
}

ExplorerProcess::~ExplorerProcess()
{
    m_process.disconnect(this);
    if (m_process.state() == QProcess::NotRunning)
        return;
    interrupt();
    if (!m_process.waitForFinished(endMilliseconds)) {
        m_process.kill();
        m_process.waitForFinished(endMilliseconds);
    }
}

void ExplorerProcess::interrupt()
{
    engine::signalGroup(m_process, m_process.processId(), SIGINT);
}

QString ExplorerProcess::lastWords() const
{
    return QString::fromUtf8(m_complaints).trimmed().section(QLatin1Char('\n'), -1);
}
