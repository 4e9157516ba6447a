// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration_recorder.h"
#include "exploration_harness.h"
#include "history/stored_snapshot.h"
#include "store/exploration_store.h"
#include "support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;
using test::ExplorationHarness;

/// Tests the snapshot of an exploration that the history holds.
class StoredSnapshotTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString history() const { return m_folder.filePath(QStringLiteral("history.sqlite")); }
    store::StoredExploration newest() const
    {
        const store::ExplorationStore store(history());
        return *store.show(store.list().front().id);
    }

private slots:
    void init() { QFile::remove(history()); }

    void makesItsSearchOnceMore()
    {
        ExplorationHarness harness;
        harness.parts.makeStrategy = search::makeStrategy;
        harness.options.maxTrials = 6;
        const ExplorationRecorder recorder(harness.exploration(), history());
        QVERIFY(harness.runToEnd());
        const Snapshot& was = harness.snapshot();
        QVERIFY(was.searchState.recommendation);

        StoredSearch stored(newest());
        Snapshot is = snapshotOf(stored, *was.run);
        QVERIFY(is.course.empty() && is.searchState.curve.empty());
        // What was shown of each size is kept.
        QVERIFY(!was.searchState.estimates.empty());
        QVERIFY(is.searchState.estimates == was.searchState.estimates);
        // Earlier versions kept certainties, which nothing tells.
        store::StoredExploration certain = newest();
        QVERIFY(certain.summary.recommendation);
        for (store::EstimateRecord& estimate : certain.summary.recommendation->estimates)
            estimate.probabilityWithin = 1.0;
        StoredSearch ofCertain(certain);
        for (const search::SizeEstimate& estimate : snapshotOf(ofCertain, *was.run).searchState.estimates)
            QCOMPARE(estimate.probabilityWithin, search::maxConfidence);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!addSearch(is, stored, stop.get_token()));
        QVERIFY(addSearch(is, stored));
        QCOMPARE(is.searchState.curve.size(), was.searchState.curve.size());
        for (std::size_t place = 0; place < is.searchState.curve.size(); ++place)
            QCOMPARE(is.searchState.curve[place].samplesPerSecond,
                     was.searchState.curve[place].samplesPerSecond);
        QCOMPARE(is.searchState.contenders.size(), was.searchState.contenders.size());
        QCOMPARE(is.speedLimit, was.speedLimit);
        QVERIFY(!is.course.empty());
        QCOMPARE(is.course.back().size, was.course.back().size);
        QCOMPARE(is.course.back().confidence, was.course.back().confidence);
        QVERIFY(is.course.back().elapsedSeconds <= is.elapsedSeconds);
        QCOMPARE(is.log.size() >= stored.stored().trials.size(), true);
    }

    void addsNothingThatComesToAnotherAnswer()
    {
        ExplorationHarness harness;
        harness.parts.makeStrategy = search::makeStrategy;
        harness.options.maxTrials = 6;
        const ExplorationRecorder recorder(harness.exploration(), history());
        QVERIFY(harness.runToEnd());
        StoredSearch stored(newest());
        const Snapshot told = snapshotOf(stored, *harness.snapshot().run);
        Snapshot is = told;
        store::StoredExploration another = stored.stored();
        ++another.summary.recommendation->microBatchSize;
        StoredSearch withAnotherAnswer(another);
        QVERIFY(!addSearch(is, withAnotherAnswer));
        // An older program told another speed of the same size.
        another = stored.stored();
        another.summary.recommendation->samplesPerSecond *= 1.5;
        StoredSearch withAnotherSpeed(another);
        QVERIFY(!addSearch(is, withAnotherSpeed));
        another = stored.stored();
        another.searchCalls.clear();
        StoredSearch withoutCalls(another);
        QVERIFY(!addSearch(is, withoutCalls));
        QVERIFY(is.course.empty() && is.searchState.curve.empty());
        QCOMPARE(is.searchState.recommendation->size, told.searchState.recommendation->size);
    }
};

BATCHPEAK_TEST(StoredSnapshotTest)
#include "tst_stored_snapshot.moc"
