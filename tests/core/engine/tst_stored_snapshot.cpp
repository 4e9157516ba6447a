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

/// Tests the snapshot of an exploration that is stored in the history.
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

    void repeatsItsSearch()
    {
        ExplorationHarness harness;
        harness.parts.makeStrategy = search::makeStrategy;
        harness.options.maxTrials = 6;
        const ExplorationRecorder recorder(harness.exploration(), history());
        QVERIFY(harness.runToEnd());
        const Snapshot& original = harness.snapshot();
        QVERIFY(original.searchState.recommendation);

        StoredSearch stored(newest());
        Snapshot restored = snapshotOf(stored, *original.run);
        QVERIFY(restored.course.empty() && restored.searchState.curve.empty());
        // The shown estimates of each size are stored.
        QVERIFY(!original.searchState.estimates.empty());
        QVERIFY(restored.searchState.estimates == original.searchState.estimates);
        // Earlier versions stored certainties, which no measurement provides.
        store::StoredExploration certain = newest();
        QVERIFY(certain.summary.recommendation);
        for (store::EstimateRecord& estimate : certain.summary.recommendation->estimates)
            estimate.probabilityWithin = 1.0;
        StoredSearch ofCertain(certain);
        for (const search::SizeEstimate& estimate :
             snapshotOf(ofCertain, *original.run).searchState.estimates)
            QCOMPARE(estimate.probabilityWithin, search::maxConfidence);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!addSearch(restored, stored, stop.get_token()));
        QVERIFY(addSearch(restored, stored));
        QCOMPARE(restored.searchState.curve.size(), original.searchState.curve.size());
        for (std::size_t place = 0; place < restored.searchState.curve.size(); ++place)
            QCOMPARE(restored.searchState.curve[place].samplesPerSecond,
                     original.searchState.curve[place].samplesPerSecond);
        QCOMPARE(restored.searchState.contenders.size(), original.searchState.contenders.size());
        QCOMPARE(restored.speedLimit, original.speedLimit);
        QVERIFY(!restored.course.empty());
        QCOMPARE(restored.course.back().size, original.course.back().size);
        QCOMPARE(restored.course.back().confidence, original.course.back().confidence);
        QVERIFY(restored.course.back().elapsedSeconds <= restored.elapsedSeconds);
        QCOMPARE(restored.log.size() >= stored.stored().trials.size(), true);
    }

    void addsNothingIfTheAnswerDiffers()
    {
        ExplorationHarness harness;
        harness.parts.makeStrategy = search::makeStrategy;
        harness.options.maxTrials = 6;
        const ExplorationRecorder recorder(harness.exploration(), history());
        QVERIFY(harness.runToEnd());
        StoredSearch stored(newest());
        const Snapshot unchanged = snapshotOf(stored, *harness.snapshot().run);
        Snapshot restored = unchanged;
        store::StoredExploration another = stored.stored();
        ++another.summary.recommendation->microBatchSize;
        StoredSearch withAnotherAnswer(another);
        QVERIFY(!addSearch(restored, withAnotherAnswer));
        // An older program reported another speed of the same size.
        another = stored.stored();
        another.summary.recommendation->samplesPerSecond *= 1.5;
        StoredSearch withAnotherSpeed(another);
        QVERIFY(!addSearch(restored, withAnotherSpeed));
        another = stored.stored();
        another.searchCalls.clear();
        StoredSearch withoutCalls(another);
        QVERIFY(!addSearch(restored, withoutCalls));
        QVERIFY(restored.course.empty() && restored.searchState.curve.empty());
        QCOMPARE(restored.searchState.recommendation->size, unchanged.searchState.recommendation->size);
    }
};

BATCHPEAK_TEST(StoredSnapshotTest)
#include "tst_stored_snapshot.moc"
