// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
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
