// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_harness.h"

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace batchpeak::test {

using namespace std::chrono_literals;
using training::TrainingRun;

namespace {

constexpr std::chrono::milliseconds longestRun = 30s;

} // namespace

TrainingHarness::TrainingHarness(const QStringList& words)
{
    QStringList command{QStringLiteral(BATCHPEAK_FAKE_WORKER)};
    for (const QString& word : words) {
        const bool isFile = word == QLatin1String("once") || word == QLatin1String("starts");
        command.append(isFile ? word + QLatin1Char('=') + m_folder.filePath(word) : word);
    }
    options.run.workerCommand = command.join(QLatin1Char(' '));
    options.steps = 4;
    parts.localDevices = [] { return std::vector<device::LocalDevice>{{.kind = "cpu", .name = "Test"}}; };
    parts.memoryKills = [] { return 0; };
}

TrainingRun& TrainingHarness::run()
{
    if (m_run)
        return *m_run;
    m_run = std::make_unique<TrainingRun>(parts);
    TrainingRun* run = m_run.get();
    connect(run, &TrainingRun::snapshotChanged, this, [this](const training::TrainingSnapshot& snapshot) {
        if (snapshot.device.workerPid > 0)
            m_pids.insert(snapshot.device.workerPid);
    });
    const auto note = [this](const char* name) {
        return [this, name] { m_signals.append(QLatin1String(name)); };
    };
    connect(run, &TrainingRun::started, this, note("started"));
    connect(run, &TrainingRun::deviceReady, this, note("device"));
    connect(run, &TrainingRun::maximumFound, this, note("maximum"));
    connect(run, &TrainingRun::epochBegan, this, note("epoch"));
    connect(run, &TrainingRun::stepDone, this, note("step"));
    connect(run, &TrainingRun::evaluated, this, note("evaluation"));
    connect(run, &TrainingRun::sizeChanged, this, note("size"));
    connect(run, &TrainingRun::checkpointSaved, this, note("checkpoint"));
    connect(run, &TrainingRun::finished, this, note("finished"));
    m_run->load(QStringLiteral("config.yaml"), contents, options);
    return *m_run;
}

bool TrainingHarness::runToEnd()
{
    QSignalSpy ended(&run(), &TrainingRun::finished);
    run().start();
    return ended.count() > 0 || ended.wait(static_cast<int>(longestRun.count()));
}

QString TrainingHarness::steps()
{
    QStringList entries;
    for (const training::StepRecord& step : snapshot().steps)
        entries.append(QStringLiteral("%1: %2 in %3 x %4")
                           .arg(step.step)
                           .arg(step.batchSize)
                           .arg(step.accumulationSteps)
                           .arg(step.microBatchSize));
    return entries.join(QLatin1String(", "));
}

QString TrainingHarness::changes()
{
    QStringList entries;
    for (const training::SizeChange& change : snapshot().changes)
        entries.append(QStringLiteral("%1 %2: %3 to %4, %5")
                           .arg(QString::fromUtf8(model::toText(change.phase).data()))
                           .arg(change.step)
                           .arg(change.from)
                           .arg(change.to)
                           .arg(training::toText(change.reason)));
    return entries.join(QLatin1String("; "));
}

QList<double> TrainingHarness::losses()
{
    QList<double> losses;
    for (const training::StepRecord& step : snapshot().steps)
        losses.append(step.loss);
    return losses;
}

QString TrainingHarness::log()
{
    QStringList lines;
    for (const engine::LogLine& line : snapshot().log)
        lines.append(line.text);
    return lines.join(QLatin1Char('\n'));
}

bool TrainingHarness::isNoWorkerLeft() const
{
    return std::ranges::all_of(
        m_pids, [](qint64 pid) { return ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; });
}

} // namespace batchpeak::test
