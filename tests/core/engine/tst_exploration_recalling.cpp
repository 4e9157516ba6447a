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

/// What is otherwise the second time, and whether the first one counts.
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

    void countsWhatIsKnown_data()
    {
        using Options = engine::ExplorationOptions;
        rows<Again>({{"the same", {}},
                     {"other bounds", {.change = [](Options& options) { options.maximum = 32; }}},
                     {"afresh", {.change = [](Options& o) { o.isFresh = true; }, .isRecalled = false}},
                     {"another run",
                      {.change = [](Options& options) { options.sequenceLength = 8; }, .isRecalled = false}},
                     {"another worker", {.worker = "slope=20000000", .isRecalled = false}}});
    }
    void countsWhatIsKnown()
    {
        const auto& again = row<Again>();
        const Told first = explore("");
        QVERIFY(first.recalled.isEmpty());
        QVERIFY2(first.trials > 4, "a first exploration takes some");
        const Told second = explore(again.worker, again.change);
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

    // The history of the second has few trials of its own, and the third knows those of the first all the
    // same.
    void remembersOverSeveral()
    {
        const Told first = explore("");
        const Told second = explore("");
        const Told third = explore("");
        QCOMPARE(third.recalled.front().exploration, 2);
        QCOMPARE(third.recalled.front().trials, first.trials + second.trials);
        QVERIFY(third.trials <= second.trials + 1);
    }

    // Those that count are shown beside the trials of today, and by the history afterward.
    void showsWhatItRecalls()
    {
        const Told first = explore("");
        const Told second = explore("");
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
        const auto apart = shown.recalled.front().ended.msecsTo(second.snapshot.recalled.front().ended);
        QVERIFY2(std::abs(apart) < 1000, qPrintable(QString::number(apart)));
    }

    void continuesWithoutAHistoryThatCanBeRead()
    {
        QFile file(history());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(5000, 'x'));
        file.close();
        const Told told = explore(
            "", [](auto&) {}, /*isKept=*/false);
        QVERIFY(told.recalled.isEmpty());
        QVERIFY2(told.trials > 4, qPrintable(told.log));
    }

private:
    struct Told
    {
        QList<engine::Recalled> recalled;
        int trials = 0;
        std::int64_t size = 0;
        QString log;
        QList<QJsonObject> events;
        engine::Snapshot snapshot;
    };

    QString history() const { return m_folder->filePath(QStringLiteral("history.sqlite")); }

    Told explore(
        const Text& worker, const std::function<void(engine::ExplorationOptions&)>& change = [](auto&) {},
        bool isKept = true) const
    {
        Told told;
        ExplorationHarness harness(worker);
        harness.parts.makeStrategy = search::makeStrategy;
        change(harness.options);
        engine::Exploration& exploration = harness.exploration();
        exploration.setHistory(history());
        std::unique_ptr<engine::ExplorationRecorder> recorder;
        if (isKept)
            recorder = std::make_unique<engine::ExplorationRecorder>(exploration, history());
        engine::onEvent<engine::Recalled>(exploration, &harness,
                                          [&](const auto& recalled) { told.recalled.append(recalled); });
        QBuffer events;
        events.open(QIODevice::WriteOnly);
        const engine::EventLog log(exploration, events);
        if (!harness.runToEnd())
            return told;
        const engine::Snapshot& snapshot = harness.snapshot();
        told.trials = static_cast<int>(snapshot.trials.size());
        told.size = snapshot.searchState.recommendation ? snapshot.searchState.recommendation->size : 0;
        told.log = harness.log();
        told.snapshot = snapshot;
        told.events = test::eventsIn(events.data());
        return told;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(ExplorationRecallingTest)
#include "tst_exploration_recalling.moc"
