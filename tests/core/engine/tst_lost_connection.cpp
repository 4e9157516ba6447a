// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "snapshot/failure_text.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using test::ExplorationHarness;

/// Tests links that are cut without an end of the process that leads to the place.
class LostConnectionTest : public QObject
{
    Q_OBJECT

private slots:
    void goesOnWhenThePlaceIsBack()
    {
        ExplorationHarness harness("mute trial-time=400 starts until=1");
        listen(harness);
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        QVERIFY2(harness.log().contains(QStringLiteral("the connection is back")), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), QStringLiteral("1 cancelled, 1 ok, 2 ok, 4 ok"));
        QVERIFY(harness.isNoWorkerLeft());
    }

    /// Whoever watches is told until when the place is tried again.
    void saysUntilWhenItIsTriedAgain()
    {
        ExplorationHarness harness("mute trial-time=400 starts until=1");
        listen(harness);
        harness.options.reconnectFor = 600s;
        engine::Connection lost;
        QString awaited;
        QObject::connect(&harness.exploration(), &engine::Exploration::snapshotChanged, &harness,
                         [&](const engine::Snapshot& snapshot) {
                             for (const engine::DeviceSnapshot& device : snapshot.devices) {
                                 if (device.connection.state != engine::Connection::State::Lost)
                                     continue;
                                 lost = device.connection;
                                 awaited = awaitedPlaces(snapshot).join(QLatin1Char('|'));
                             }
                         });
        const QDateTime before = QDateTime::currentDateTime();
        QVERIFY(harness.runToEnd());
        QVERIFY(!lost.reason.isEmpty());
        QVERIFY(lost.until >= before.addSecs(600) && lost.until <= QDateTime::currentDateTime().addSecs(600));
        QVERIFY2(awaited.startsWith(QStringLiteral("cpu: ")) &&
                     awaited.endsWith(lost.until.toString(QStringLiteral("HH:mm:ss"))),
                 qPrintable(awaited));
        QCOMPARE(awaitedPlaces(harness.snapshot()), QStringList());
        QVERIFY(harness.snapshot().devices.front().connection.state == engine::Connection::State::Off);
    }

    /// A link that was cut does not count as connected until it is lost.
    void saysThatNothingIsHeard()
    {
        ExplorationHarness harness("mute trial-time=4500 starts until=1", {1});
        listen(harness);
        // The state is looked at once a second.
        harness.parts.timeouts.heartbeat = 800ms;
        QStringList states;
        engine::onEvent<engine::ConnectionChanged>(
            harness.exploration(), &harness,
            [&](const engine::ConnectionChanged& changed) { states << toText(changed.connection.state); });
        QVERIFY(harness.runToEnd());
        QCOMPARE(states.join(QLatin1Char(' ')), QStringLiteral("connected silent lost connected off"));
    }

    /// A trial that cuts the link each time is not repeated forever.
    void givesUpATrialWithoutAnswer()
    {
        ExplorationHarness harness("mute trial-time=400", {1});
        listen(harness);
        QVERIFY(harness.runToEnd());
        QVERIFY2(harness.trials().contains(QStringLiteral("1 crashed")), qPrintable(harness.trials()));
        QVERIFY(harness.isNoWorkerLeft());
    }

    /// A worker that computes for long says that it is there.
    void waitsForALongTrial()
    {
        ExplorationHarness harness("trial-time=600", {1});
        listen(harness);
        QVERIFY(harness.endsAs(FinishStatus::Exhausted));
        QVERIFY(!harness.log().contains(QStringLiteral("Nothing was heard")));
    }

private:
    static void listen(ExplorationHarness& harness)
    {
        harness.options.places = {QStringLiteral("env")};
        harness.parts.timeouts.heartbeat = 50ms;
    }
};

BATCHPEAK_TEST(LostConnectionTest)
#include "tst_lost_connection.moc"
