// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;

/// Tests the wait for a worker's first message.
class WorkerStartTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsTheWaitForALauncherEveryHalfMinute()
    {
        const engine::WorkerTimeouts usual;
        QCOMPARE(usual.signOfWaiting, 30s);
        ExplorationHarness harness("start=silent");
        harness.options.places = {QStringLiteral("env")};
        // Without a launcher, this timeout would end the run.
        harness.parts.timeouts.startUp = 1ms;
        harness.parts.timeouts.signOfWaiting = 5ms;
        const auto signs = [&] {
            return harness.log().count(QStringLiteral("The worker has not started after "));
        };
        harness.exploration().start();
        TRY_VERIFY2(signs() >= 3, qPrintable(harness.log()));
        QVERIFY(harness.log().contains(QStringLiteral("; a launcher may hold it in a queue.")));
        QCOMPARE(harness.snapshot().state, State::Starting);
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.snapshot().finish == FinishStatus::Cancelled);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void reportsNoWaitThatIsOver()
    {
        ExplorationHarness harness("load=silent");
        harness.options.places = {QStringLiteral("env")};
        // The wait is reported between the start of a process and its first message, not later.
        harness.parts.timeouts.signOfWaiting = 100ms;
        harness.parts.timeouts.load = 500ms;
        QVERIFY(harness.endsAs(FinishStatus::Failed));
        const QString log = harness.log();
        QVERIFY2(log.contains(QStringLiteral("did not load")), qPrintable(log));
        QVERIFY2(log.count(QStringLiteral("has not started")) < 4, qPrintable(log));
    }
};

BATCHPEAK_TEST(WorkerStartTest)
#include "tst_worker_start.moc"
