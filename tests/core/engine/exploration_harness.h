// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/exploration.h"
#include "small_config.h"
#include "support/rows.h"

#include <QObject>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <memory>
#include <vector>

namespace batchpeak::test {

/// An exploration on the fake worker, with a scripted search, short time-outs, and no verification unless the
/// options ask for it.
class ExplorationHarness : public QObject
{
    Q_OBJECT

public:
    /// \param words  of the fake worker's command line, see fake_behavior.h; "once" and "starts" stand for
    ///               files in a folder of this harness
    explicit ExplorationHarness(const Text& words = {}, std::vector<std::int64_t> sizes = {1, 2, 4});

    engine::ExplorationOptions options;
    engine::ExplorationParts parts;
    config::ConfigContents contents = smallConfig();
    std::vector<std::int64_t> sizes;
    /// After all of these, where the devices can.
    std::vector<std::vector<std::int64_t>> comparisons;
    /// When it goes on, and what that is said to be worth.
    std::vector<std::int64_t> more;
    std::optional<search::ContinuationEstimate> continuation;
    /// What the search was told, and what it was asked.
    std::vector<search::Measurement> told;
    search::SearchSpace space;

    engine::Exploration& exploration();
    /// Loads, starts, and waits for the end.
    bool runToEnd();
    /// The same, and whether that ended so.
    bool endsAs(engine::FinishStatus status) { return runToEnd() && snapshot().finish == status; }
    /// Goes on after an end, and waits for the next.
    bool continuesToEnd(const engine::ExtraBudget& effort = {});
    void destroyExploration() { m_exploration.reset(); }
    const engine::Snapshot& snapshot() { return exploration().snapshot(); }

    /// "1 ok, 2 crashed, 2 ok, 1+2 ok, 1+2 oom at 2"
    QString trials();
    QString log();
    int finishedSignals() const { return m_finished; }
    /// No worker that was ever seen in a snapshot is alive.
    bool isNoWorkerLeft() const;

private:
    std::unique_ptr<engine::Exploration> m_exploration;
    QTemporaryDir m_folder;
    QSet<qint64> m_pids;
    int m_finished = 0;
};

} // namespace batchpeak::test
