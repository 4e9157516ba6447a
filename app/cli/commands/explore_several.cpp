// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "explore_several.h"

#include "command.h"
#include "run_terminal.h"
#include "search/throughput.h"
#include "text/readable_text.h"
#include "words/terminal_text.h"
#include "workers/process_group.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <algorithm>
#include <csignal>
#include <memory>
#include <utility>

namespace batchpeak::cli {

namespace {

/// Reads the result of an exploration from its events (docs/events.md).
FoundSize resultIn(const QString& events)
{
    QFile file(events);
    QJsonObject finished;
    if (file.open(QIODevice::ReadOnly)) {
        while (!file.atEnd()) {
            const QJsonObject event = QJsonDocument::fromJson(file.readLine()).object();
            if (event[QLatin1String("event")] == QLatin1String("finished"))
                finished = event;
        }
    }
    const QJsonValue error = finished[QLatin1String("relative_error")];
    FoundSize found{.size = finished[QLatin1String("micro_batch_size")].toInteger(),
                    .samplesPerSecond = finished[QLatin1String("samples_per_second")].toDouble(),
                    .relativeError = error.isDouble() ? std::optional(error.toDouble()) : std::nullopt,
                    .confidence = finished[QLatin1String("confidence")].toInt()};
    for (const QJsonValue estimate : finished[QLatin1String("estimates")].toArray())
        found.speeds[estimate[QLatin1String("micro_batch_size")].toInteger()] =
            estimate[QLatin1String("samples_per_second")].toDouble();
    return found;
}

/// Explorations of one group of devices that are still to come, and a share of the devices for each that
/// runs.
class SeveralTerminal : public RunTerminal
{
public:
    SeveralTerminal(const SeveralExplorations& several, Console& console,
                    std::vector<std::vector<FoundSize>>& found)
        : RunTerminal(console, 1), m_several(several), m_found(found)
    {
        m_found.assign(several.files.size(), std::vector<FoundSize>(several.devices.size()));
        m_next.assign(several.devices.size(), 0);
        for (std::size_t group = 0; group < several.devices.size(); ++group) {
            const auto count = static_cast<std::size_t>(several.files.size());
            for (const Share& share : engine::evenParts(several.devices[group].devices, count))
                startNext(group, share);
        }
    }

protected:
    void interrupt() override
    {
        m_isInterrupted = true;
        for (const auto& running : m_running)
            engine::signalGroup(running->process, running->process.processId(), SIGINT);
    }

private:
    using Share = std::vector<engine::PlacedDevice>;

    struct Running
    {
        QProcess process;
        std::size_t file = 0;
        std::size_t group = 0;
        Share share;
        QString label;
        QString events;
    };

    bool hasGroups() const { return m_several.devices.size() > 1; }

    void startNext(std::size_t group, const Share& share)
    {
        const std::size_t file = m_next[group];
        if (m_isInterrupted || file == static_cast<std::size_t>(m_several.files.size()))
            return;
        ++m_next[group];
        const QString& path = m_several.files[static_cast<qsizetype>(file)];
        m_running.push_back(std::make_unique<Running>());
        Running& running = *m_running.back();
        running.file = file;
        running.group = group;
        running.share = share;
        running.events = m_folder.filePath(QStringLiteral("%1-%2.jsonl").arg(file).arg(group));
        running.label = QFileInfo(path).fileName();
        if (hasGroups())
            running.label += QStringLiteral(" on ") + m_several.devices[group].name;
        QStringList words{QStringLiteral("explore"), path, QStringLiteral("--events"), running.events};
        words += m_several.words;
        words += engine::wordsFor(share) + m_several.outputWords;
        start(running, words);
    }

    void start(Running& running, const QStringList& words)
    {
        QProcess& process = running.process;
        if (!m_several.job.isEmpty()) {
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(QStringLiteral("SLURM_JOB_ID"), m_several.job);
            process.setProcessEnvironment(environment);
        }
        engine::leadOwnGroup(process);
        connect(&process, &QProcess::readyReadStandardOutput, this,
                [this, &running] { print(running, QProcess::StandardOutput, &Console::answer); });
        connect(&process, &QProcess::readyReadStandardError, this,
                [this, &running] { print(running, QProcess::StandardError, &Console::remark); });
        connect(
            &process, &QProcess::finished, this, [this, &running](int code) { finish(running, code); },
            Qt::QueuedConnection);
        process.setStandardInputFile(QProcess::nullDevice());
        process.start(QCoreApplication::applicationFilePath(), words);
    }

    using Print = void (Console::*)(const QStringList& lines);

    void print(Running& running, QProcess::ProcessChannel channel, Print print)
    {
        running.process.setReadChannel(channel);
        while (running.process.canReadLine()) {
            const QString line = QString::fromUtf8(running.process.readLine()).chopped(1);
            (console().*print)({QStringLiteral("%1: %2").arg(running.label, line)});
        }
    }

    void finish(Running& running, int code)
    {
        const bool crashed = running.process.exitStatus() != QProcess::NormalExit;
        FoundSize found = resultIn(running.events);
        found.devices = m_several.devices[running.group].name;
        m_found[running.file][running.group] = std::move(found);
        if (m_code == exitCode::success)
            m_code = crashed ? exitCode::noTrials : code;
        const std::size_t group = running.group;
        const Share share = running.share;
        std::erase_if(m_running, [&](const auto& one) { return one.get() == &running; });
        startNext(group, share);
        if (m_running.empty())
            end(m_isInterrupted ? exitCode::interrupted : m_code);
    }

    const SeveralExplorations& m_several;
    std::vector<std::vector<FoundSize>>& m_found;
    const QTemporaryDir m_folder;
    /// The next file of each group of devices.
    std::vector<std::size_t> m_next;
    std::vector<std::unique_ptr<Running>> m_running;
    int m_code = exitCode::success;
    bool m_isInterrupted = false;
};

/// Returns the samples/s at a size between those that ran; nothing for one beyond them.
std::optional<double> speedAt(const FoundSize& found, std::int64_t size)
{
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds;
    for (const auto& [known, speed] : found.speeds.asKeyValueRange()) {
        sizes.push_back(known);
        seconds.push_back(static_cast<double>(known) / speed);
    }
    if (sizes.empty() || size < sizes.front() || size > sizes.back())
        return std::nullopt;
    return static_cast<double>(size) / search::interpolatedSeconds(sizes, seconds, size);
}

} // namespace

int exploreSeveral(const SeveralExplorations& several, Console& console,
                   std::vector<std::vector<FoundSize>>& found)
{
    SeveralTerminal terminal(several, console, found);
    return terminal.waitForEnd();
}

std::int64_t sharedSize(const std::vector<FoundSize>& found)
{
    return std::ranges::min_element(found, {}, &FoundSize::size)->size;
}

QStringList foundLines(const QString& config, const std::vector<FoundSize>& found)
{
    const bool isOne = found.size() == 1;
    const std::int64_t shared = sharedSize(found);
    QStringList lines;
    for (const FoundSize& one : found) {
        const QString label = isOne ? config : QStringLiteral("%1 on %2").arg(config, one.devices);
        if (one.size < 1) {
            lines << QStringLiteral("%1: no size was found").arg(label);
            continue;
        }
        QString line = QStringLiteral("%1: micro_batch_size %2, %3 samples/s, confidence %4")
                           .arg(label, QString::number(one.size),
                                rateText(one.samplesPerSecond, one.relativeError.value_or(0.0)))
                           .arg(one.confidence);
        const auto speed = speedAt(one, shared);
        if (!isOne && shared > 0 && one.size != shared)
            line += speed ? QStringLiteral("; %1 of that at %2")
                                .arg(engine::percentText(*speed / one.samplesPerSecond, QLocale::c()))
                                .arg(shared)
                          : QStringLiteral("; %1 was not measured").arg(shared);
        lines << line;
    }
    if (!isOne && shared > 0)
        lines << QStringLiteral("%1 on all devices: micro_batch_size %2, which fits each of them")
                     .arg(config)
                     .arg(shared);
    return lines;
}

} // namespace batchpeak::cli
