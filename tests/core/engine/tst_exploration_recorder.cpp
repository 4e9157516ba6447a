// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration_recorder.h"
#include "small_config.h"
#include "store/exploration_store.h"
#include "support/event_spy.h"
#include "support/test_main.h"

#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace batchpeak;

namespace {

constexpr int longestRunMilliseconds = 30000;

} // namespace

class ExplorationRecorderTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_options = {.maxTrials = 6,
                     .workerCommand =
                         QStringLiteral("/bin/sh \"" BATCHPEAK_TEST_DATA "/workers/room_for_four.sh\"")};
    }

    void keepsAnExploration()
    {
        const QString path = m_folder->filePath(QStringLiteral("history.sqlite"));
        engine::Exploration exploration;
        engine::ExplorationRecorder recorder(exploration, path);
        QSignalSpy message(&recorder, &engine::ExplorationRecorder::message);
        run(exploration);
        QCOMPARE(message.count(), 0);

        const store::ExplorationStore store(path);
        QCOMPARE(store.list().size(), std::size_t{1});
        const store::StoredExploration kept = *store.show(store.list().front().id);
        const engine::Snapshot& snapshot = exploration.snapshot();
        // The path is absolute, because the history may be read from another folder.
        QCOMPARE(kept.summary.info.filePath, QDir::current().absoluteFilePath(QStringLiteral("config.yaml")));
        QCOMPARE(kept.summary.info.family, QStringLiteral("gpt2"));
        QCOMPARE(kept.summary.info.phase, QStringLiteral("train"));
        QCOMPARE(kept.summary.info.setting, QStringLiteral("explore"));
        QCOMPARE(kept.summary.info.fidelity.kind, QStringLiteral("another_run"));
        QCOMPARE(kept.summary.info.fidelity.replaced, QStringList{QStringLiteral("another worker program")});
        QCOMPARE(kept.summary.info.fidelity.reasons, QStringList{QStringLiteral("a scripted step")});
        QCOMPARE(kept.summary.end->status, engine::toText(*snapshot.finish));
        QCOMPARE(kept.devices.size(), std::size_t{1});
        QCOMPARE(kept.devices.front().program, QStringLiteral("scripted 1"));
        QCOMPARE(kept.summary.recommendation->microBatchSize, snapshot.searchState.recommendation->size);
        QCOMPARE(kept.summary.recommendation->reason, snapshot.reason);
        QVERIFY(!snapshot.reason.isEmpty());
        QCOMPARE(kept.trials.size(), snapshot.trials.size());
        QVERIFY(kept.trials.front().outcome == trial::Outcome::Ok);
        QCOMPARE(kept.trials.front().secondsPerStep, 0.1);
        QCOMPARE(kept.trials.front().optimizerSeconds, 0.02);
        QVERIFY(std::ranges::any_of(kept.trials, [](const trial::TrialRecord& trial) {
            return trial.outcome == trial::Outcome::OutOfMemory;
        }));
    }

    void keepsAContinuation()
    {
        const QString path = m_folder->filePath(QStringLiteral("history.sqlite"));
        engine::Exploration exploration;
        engine::ExplorationRecorder recorder(exploration, path);
        m_options.maxTrials = 3;
        run(exploration);
        const std::size_t before = exploration.snapshot().trials.size();
        test::EventSpy<engine::Finished> finished(exploration);
        exploration.continueSearch({.trials = 4});
        QVERIFY(!store::ExplorationStore(path).list().front().end);
        QVERIFY(finished.count() > 0 || finished.wait(longestRunMilliseconds));
        const store::ExplorationStore store(path);
        QCOMPARE(store.list().size(), std::size_t{1});
        const store::StoredExploration kept = *store.show(store.list().front().id);
        QVERIFY(kept.trials.size() > before);
        QCOMPARE(kept.trials.size(), exploration.snapshot().trials.size());
        QCOMPARE(kept.summary.end->ending, exploration.snapshot().ending);
        QVERIFY(!kept.summary.end->ending.isEmpty());
        QVERIFY(kept.summary.recommendation->expectedLoss);
    }

    void exploresDespiteABrokenHistory()
    {
        engine::Exploration exploration;
        // A folder cannot be opened as a history.
        const QString path = m_folder->filePath(QStringLiteral("history.sqlite"));
        QVERIFY(QDir().mkpath(path));
        engine::ExplorationRecorder recorder(exploration, path);
        QSignalSpy message(&recorder, &engine::ExplorationRecorder::message);
        run(exploration);
        QCOMPARE(message.count(), 1);
        QVERIFY(message.front().front().toString().contains(path));
        QVERIFY(exploration.snapshot().searchState.recommendation);
    }

    void changesOnlyTheLogByALateRemark()
    {
        engine::Exploration exploration;
        run(exploration);
        const double elapsed = exploration.snapshot().elapsedSeconds;
        exploration.remark(engine::LogLevel::Warning, QStringLiteral("The history is full."));
        QCOMPARE(exploration.snapshot().log.back().text, QStringLiteral("The history is full."));
        QCOMPARE(exploration.snapshot().elapsedSeconds, elapsed);
        QCOMPARE(exploration.snapshot().progress, 1.0);
    }

private:
    void run(engine::Exploration& exploration)
    {
        exploration.load(QStringLiteral("config.yaml"), test::smallConfig(), m_options);
        test::EventSpy<engine::Finished> finished(exploration);
        exploration.start();
        QVERIFY(finished.count() > 0 || finished.wait(longestRunMilliseconds));
        QVERIFY2(exploration.snapshot().failure.isEmpty(), qPrintable(exploration.snapshot().failure));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    engine::ExplorationOptions m_options;
};

BATCHPEAK_TEST(ExplorationRecorderTest)
#include "tst_exploration_recorder.moc"
