// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event_log.h"
#include "engine/exploration_recorder.h"
#include "exploration_harness.h"
#include "history/stored_snapshot.h"
#include "store/exploration_store.h"
#include "support/event_schema.h"
#include "support/event_spy.h"
#include "support/events_in.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QBuffer>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>

using namespace batchpeak;
using engine::FinishStatus;
using test::ExplorationHarness;

namespace {

/// Changes of the second exploration, and whether it recalls the first one.
struct Again
{
    const char* worker = "";
    std::function<void(engine::ExplorationOptions&)> change = [](auto&) {};
    bool isRecalled = true;
};

} // namespace

/// Tests explorations of a run that has been explored before.
class ExplorationRecallingTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void recallsKnownTrials_data()
    {
        using Options = engine::ExplorationOptions;
        rows<Again>({{"the same", {}},
                     {"other bounds", {.change = [](Options& options) { options.maximum = 32; }}},
                     {"afresh", {.change = [](Options& o) { o.isFresh = true; }, .isRecalled = false}},
                     {"another run",
                      {.change = [](Options& options) { options.sequenceLength = 8; }, .isRecalled = false}},
                     {"another worker", {.worker = "slope=20000000", .isRecalled = false}}});
    }
    void recallsKnownTrials()
    {
        const auto& again = row<Again>();
        const Result first = explore("");
        QVERIFY(first.recalled.isEmpty());
        QVERIFY2(first.trials > 4, "a first exploration takes some");
        const Result second = explore(again.worker, again.change);
        QCOMPARE(second.recalled.size(), again.isRecalled ? 1 : 0);
        QCOMPARE(second.log.contains(QStringLiteral("of exploration 1, ")), again.isRecalled);
        if (!again.isRecalled)
            return;
        QCOMPARE(second.recalled.front().exploration, 1);
        QCOMPARE(second.recalled.front().trials, first.trials);
        QVERIFY2(second.trials < first.trials, qPrintable(second.log));
        const auto event = std::ranges::find_if(second.events, [](const QJsonObject& candidate) {
            return candidate.value(QLatin1String("event")) == QLatin1String("recalled");
        });
        QVERIFY(event != second.events.end());
        QCOMPARE(event->keys(), test::fieldsOfEvent(QStringLiteral("recalled")));
        QCOMPARE(test::valuesOf(*event, "exploration trials"),
                 QStringLiteral(R"({"exploration":1,"trials":%1})").arg(first.trials).toUtf8());
        QVERIFY(second.size > 0);
    }

    // The second exploration has few trials of its own, but the third one also recalls those of the first.
    void recallsSeveralExplorations()
    {
        const Result first = explore("");
        const Result second = explore("");
        const Result third = explore("");
        QCOMPARE(third.recalled.front().exploration, 2);
        QCOMPARE(third.recalled.front().trials, first.trials + second.trials);
        QVERIFY(third.trials <= second.trials + 1);
    }

    // Recalled trials are shown next to new trials, and later by the history.
    void showsRecalledTrials()
    {
        const Result first = explore("");
        const Result second = explore("");
        QVERIFY(first.snapshot.recalled.empty());
        std::size_t found = 0;
        for (const trial::TrialRecord& trial : first.snapshot.trials) {
            if (trial.isComparison() || !trial.samplesPerSecond)
                continue;
            found += static_cast<std::size_t>(
                std::ranges::count_if(second.snapshot.recalled, [&](const engine::RecalledTrial& recalled) {
                    return recalled.trial.microBatchSize == trial.microBatchSize &&
                           recalled.trial.samplesPerSecond == trial.samplesPerSecond &&
                           recalled.exploration == 1;
                }));
        }
        QVERIFY(found > 2);
        QVERIFY(std::ranges::is_sorted(second.snapshot.recalled, {}, &engine::RecalledTrial::ended));

        const store::ExplorationStore kept(history());
        engine::StoredSearch stored(*kept.show(2));
        const engine::Snapshot shown = engine::snapshotOf(stored, *second.snapshot.run);
        QCOMPARE(shown.recalled.size(), second.snapshot.recalled.size());
        QCOMPARE(shown.recalled.front().trial, second.snapshot.recalled.front().trial);
        const auto difference = shown.recalled.front().ended.msecsTo(second.snapshot.recalled.front().ended);
        QVERIFY2(std::abs(difference) < 1000, qPrintable(QString::number(difference)));
    }

    void ignoresAnUnreadableHistory()
    {
        QFile file(history());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(5000, 'x'));
        file.close();
        const Result result = explore(
            "", [](auto&) {}, /*isKept=*/false);
        QVERIFY(result.recalled.isEmpty());
        QVERIFY2(result.trials > 4, qPrintable(result.log));
    }

private:
    struct Result
    {
        QList<engine::Recalled> recalled;
        int trials = 0;
        std::int64_t size = 0;
        QString log;
        QList<QJsonObject> events;
        engine::Snapshot snapshot;
    };

    QString history() const { return m_folder->filePath(QStringLiteral("history.sqlite")); }

    Result explore(
        const Text& worker, const std::function<void(engine::ExplorationOptions&)>& change = [](auto&) {},
        bool isKept = true) const
    {
        Result result;
        ExplorationHarness harness(worker);
        harness.parts.makeStrategy = search::makeStrategy;
        change(harness.options);
        engine::Exploration& exploration = harness.exploration();
        exploration.setHistory(history());
        std::unique_ptr<engine::ExplorationRecorder> recorder;
        if (isKept)
            recorder = std::make_unique<engine::ExplorationRecorder>(exploration, history());
        engine::onEvent<engine::Recalled>(exploration, &harness,
                                          [&](const auto& recalled) { result.recalled.append(recalled); });
        QBuffer events;
        events.open(QIODevice::WriteOnly);
        const engine::EventLog log(exploration, events);
        if (!harness.runToEnd())
            return result;
        const engine::Snapshot& snapshot = harness.snapshot();
        result.trials = static_cast<int>(snapshot.trials.size());
        result.size = snapshot.searchState.recommendation ? snapshot.searchState.recommendation->size : 0;
        result.log = harness.log();
        result.snapshot = snapshot;
        result.events = test::eventsIn(events.data());
        return result;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(ExplorationRecallingTest)
#include "tst_exploration_recalling.moc"
