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

/// An exploration on the fake worker, with a scripted search, short timeouts, and no verification unless the
/// options ask for it.
class ExplorationHarness : public QObject
{
    Q_OBJECT

public:
    /// \param words  words of the fake worker's command line, see fake_behavior.h; "once" and "starts" stand
    ///        for files in a folder of this harness
    explicit ExplorationHarness(const Text& words = {}, std::vector<std::int64_t> sizes = {1, 2, 4});

    engine::ExplorationOptions options;
    engine::ExplorationParts parts;
    config::ConfigContents contents = smallConfig();
    std::vector<std::int64_t> sizes;
    /// Comparisons that follow all trials, if the devices support them.
    std::vector<std::vector<std::int64_t>> comparisons;
    /// Sizes that are tried after a continuation, and the estimated benefit of the continuation.
    std::vector<std::int64_t> more;
    std::optional<search::ContinuationEstimate> continuation;
    /// Measurements that the search received, and the space that it was given.
    std::vector<search::Measurement> told;
    search::SearchSpace space;

    engine::Exploration& exploration();
    /// Loads and starts the exploration, and waits for its end.
    bool runToEnd();
    /// Does the same, and returns whether the exploration ended with that status.
    bool endsAs(engine::FinishStatus status) { return runToEnd() && snapshot().finish == status; }
    /// Continues after an end, and waits for the next.
    bool continuesToEnd(const engine::ExtraBudget& effort = {});
    void destroyExploration() { m_exploration.reset(); }
    const engine::Snapshot& snapshot() { return exploration().snapshot(); }

    /// "1 ok, 2 crashed, 2 ok, 1+2 ok, 1+2 oom at 2"
    QString trials();
    QString log();
    int finishedSignals() const { return m_finished; }
    /// Whether no worker that ever appeared in a snapshot is alive.
    bool isNoWorkerLeft() const;

private:
    std::unique_ptr<engine::Exploration> m_exploration;
    QTemporaryDir m_folder;
    QSet<qint64> m_pids;
    int m_finished = 0;
};

} // namespace batchpeak::test
