// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_harness.h"

#include "support/event_spy.h"
#include "support/fake_parts.h"

#include <algorithm>
#include <array>
#include <variant>

namespace batchpeak::test {

using namespace std::chrono_literals;
using training::TrainingRun;

namespace {

constexpr std::chrono::milliseconds longestRun = 30s;

} // namespace

TrainingHarness::TrainingHarness(const Text& words) : parts(fakeParts())
{
    options.run.workerCommand = fakeWorkerCommand(words, m_folder);
    options.steps = 4;
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
    connect(run, &TrainingRun::occurred, this, [this](const training::TrainingEvent& event) {
        // Names in the order of the variant's types.
        constexpr std::array names{"started",    "device", "maximum",    "epoch",   "step",
                                   "evaluation", "size",   "checkpoint", "finished"};
        static_assert(names.size() == std::variant_size_v<training::TrainingEvent>);
        m_signals.append(QLatin1String(names[event.index()]));
    });
    m_run->load(QStringLiteral("config.yaml"), contents, options);
    return *m_run;
}

bool TrainingHarness::runToEnd()
{
    EventSpy<training::TrainingFinished> ended(run());
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
    return logOf(snapshot());
}

bool TrainingHarness::isNoWorkerLeft() const
{
    return std::ranges::all_of(m_pids, isGone);
}

} // namespace batchpeak::test
