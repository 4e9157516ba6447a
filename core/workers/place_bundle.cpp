// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "place_bundle.h"

#include "place_launch.h"
#include "process_group.h"
#include "text/translated.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>

#include <csignal>

namespace batchpeak::engine {

namespace {

// Its arguments are the folder below $HOME and the checksum of the archive on standard input.
const QLatin1String unpackScript(R"sh(
cd || exit
if [ "$(cat "$1/archive.sha256" 2>/dev/null)" = "$2" ]; then echo same; exit; fi
[ -n "$3" ] || { echo other; exit; }
new=$1.$$
mkdir -p "$new" && tar -xzf - -C "$new" --strip-components=1 && echo "$2" >"$new/archive.sha256" &&
  rm -rf "$1" && mv "$new" "$1" && echo sent || { rm -rf "$new"; exit 1; })sh");

struct ScriptAnswer
{
    QString word;
    QString problem;
};

/// Waits for the end of a process, and kills it if that is asked for.
/// \return whether it ended by itself
bool waitUnless(const std::stop_token& stop, QProcess& process)
{
    constexpr int lookEvery = 100;
    while (!process.waitForFinished(lookEvery) && process.state() != QProcess::NotRunning) {
        if (!stop.stop_requested())
            continue;
        signalGroup(process, process.processId(), SIGKILL);
        process.waitForFinished();
        return false;
    }
    return true;
}

ScriptAnswer runUnpacking(const Place& place, const QString& checksum, const QString& archive,
                          const std::stop_token& stop)
{
    const WorkerCommand command =
        placedScript(place, unpackScript,
                     {bundleFolderThere(), checksum, archive.isEmpty() ? QString() : QStringLiteral("new")});
    QProcess process;
    leadOwnGroup(process);
    process.setStandardInputFile(archive.isEmpty() ? QProcess::nullDevice() : archive);
    process.start(command.program, command.arguments);
    if (!process.waitForStarted())
        return {
            .problem =
                Translated::tr("%1 could not be started: %2.").arg(command.program, process.errorString())};
    if (!waitUnless(stop, process))
        return {.problem = Translated::tr("The transfer was canceled.")};
    // A login may print lines of its own before.
    ScriptAnswer answer{.word =
                            QString::fromUtf8(process.readAllStandardOutput().trimmed().split('\n').last())};
    WorkerEnd end{.exitCode = process.exitCode()};
    for (const QByteArray& line : process.readAllStandardError().trimmed().split('\n'))
        end.lastLines << QString::fromUtf8(line);
    if (const auto loss = lostConnection(place, end))
        answer.problem = loss->sentence;
    else if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        answer.problem = Translated::tr("The bundle was not unpacked there: %1").arg(end.lastLines.last());
    return answer;
}

} // namespace

QString bundleArchive(const QString& programFolder)
{
    const QDir bundles(programFolder + QStringLiteral("/../../bundle"));
    const QString pattern = QStringLiteral("batchpeak-" BATCHPEAK_VERSION "-linux-*.tar.gz");
    const QFileInfoList found = bundles.entryInfoList({pattern}, QDir::Files);
    return found.isEmpty() ? QString() : found.front().absoluteFilePath();
}

SentBundle sendBundle(const Place& place, const QString& archive, const std::stop_token& stop)
{
    QFile file(archive);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file))
        return {.problem = Translated::tr("%1 cannot be read: %2.").arg(archive, file.errorString())};
    const QString checksum = QString::fromLatin1(hash.result().toHex());
    const ScriptAnswer there = runUnpacking(place, checksum, {}, stop);
    if (!there.problem.isEmpty() || there.word == QLatin1String("same"))
        return {.wasThere = there.problem.isEmpty(), .problem = there.problem};
    const ScriptAnswer sent = runUnpacking(place, checksum, archive, stop);
    if (sent.problem.isEmpty() && sent.word != QLatin1String("sent"))
        return {.problem = Translated::tr("The bundle was not unpacked there: %1").arg(sent.word)};
    return {.problem = sent.problem};
}

} // namespace batchpeak::engine
