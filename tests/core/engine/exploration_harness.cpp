// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"

#include "scripted_strategy.h"
#include "support/event_spy.h"
#include "support/fake_parts.h"

#include <QTest>

#include <algorithm>

namespace batchpeak::test {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds longestRun = 30s;

} // namespace

ExplorationHarness::ExplorationHarness(const Text& words, std::vector<std::int64_t> sizesToTry)
    : parts(fakeParts()), sizes(std::move(sizesToTry))
{
    options.verify = false;
    options.workerCommand = fakeWorkerCommand(words, m_folder);
    parts.makeStrategy = [this](std::string_view, const search::SearchSpace& asked) {
        space = asked;
        using Script = ScriptedStrategy::Script;
        const auto compared = asked.comparesSizes ? comparisons : std::vector<std::vector<std::int64_t>>();
        return std::make_unique<ScriptedStrategy>(Script{.sizes = sizes,
                                                         .comparisons = compared,
                                                         .more = more,
                                                         .continuation = continuation,
                                                         .told = &told});
    };
}

engine::Exploration& ExplorationHarness::exploration()
{
    if (m_exploration)
        return *m_exploration;
    m_exploration = std::make_unique<engine::Exploration>(parts);
    connect(m_exploration.get(), &engine::Exploration::snapshotChanged, this,
            [this](const engine::Snapshot& snapshot) {
                for (const engine::DeviceSnapshot& device : snapshot.devices) {
                    if (device.workerPid > 0)
                        m_pids.insert(device.workerPid);
                }
            });
    engine::onEvent<engine::Finished>(*m_exploration, this, [this](const auto&) { ++m_finished; });
    m_exploration->load(QStringLiteral("config.yaml"), contents, options);
    return *m_exploration;
}

bool ExplorationHarness::runToEnd()
{
    EventSpy<engine::Finished> ended(exploration());
    exploration().start();
    return ended.count() > 0 || ended.wait(static_cast<int>(longestRun.count()));
}

bool ExplorationHarness::continuesToEnd(const engine::ExtraBudget& effort)
{
    EventSpy<engine::Finished> ended(exploration());
    exploration().continueSearch(effort);
    return ended.count() > 0 || ended.wait(static_cast<int>(longestRun.count()));
}

QString ExplorationHarness::trials()
{
    QStringList entries;
    for (const trial::TrialRecord& trial : snapshot().trials) {
        QStringList sizes;
        for (const trial::ComparedRecord& size : trial.compared)
            sizes.append(QString::number(size.microBatchSize));
        const bool isEnded = trial.isComparison() && trial.microBatchSize > 0;
        entries.append(QStringLiteral("%1 %2%3").arg(
            trial.isComparison() ? sizes.join(QLatin1Char('+')) : QString::number(trial.microBatchSize),
            QString::fromUtf8(trial.outcome ? trial::toText(*trial.outcome) : "running"),
            isEnded ? QStringLiteral(" at %1").arg(trial.microBatchSize) : QString()));
    }
    return entries.join(QLatin1String(", "));
}

QString ExplorationHarness::log()
{
    return logOf(snapshot());
}

bool ExplorationHarness::isNoWorkerLeft() const
{
    return std::ranges::all_of(m_pids, isGone);
}

} // namespace batchpeak::test
