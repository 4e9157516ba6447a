// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using test::ExplorationHarness;

/// Explorations with the real worker on a device that breaks down.
class WorkerRenewalTest : public QObject
{
    Q_OBJECT

private slots:
    void repeatsTheTrialInAFreshWorker_data()
    {
        rows<Text, Text>({{"illegal access", {"illegal-access", "illegal memory access"}},
                          {"memory in disguise", {"cublas", "CUBLAS_STATUS_NOT_INITIALIZED"}}});
    }
    void repeatsTheTrialInAFreshWorker()
    {
        const auto& [breakdown, said] = row<Text, Text>();
        const QTemporaryDir folder;
        ExplorationHarness harness("", {1, 2});
        harness.options.workerCommand = QStringLiteral(BATCHPEAK_BREAKING_WORKER " %1 %2")
                                            .arg(breakdown, folder.filePath(QStringLiteral("once")));
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 crashed, 1 ok, 2 ok"));
        QVERIFY(harness.snapshot().finish == FinishStatus::Exhausted);
        QCOMPARE(harness.snapshot().devices.front().restarts, 1);
        VERIFY_CONTAINS(harness.log(), said);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void repeatsItOnlyOnce()
    {
        ExplorationHarness harness("", {1});
        harness.options.workerCommand = QStringLiteral(BATCHPEAK_BREAKING_WORKER " cublas");
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 crashed, 1 crashed"));
        QVERIFY(harness.snapshot().finish == FinishStatus::Failed);
        VERIFY_CONTAINS(harness.snapshot().failure, "CUBLAS_STATUS_NOT_INITIALIZED");
        QVERIFY(harness.isNoWorkerLeft());
    }

    void waitsForItsMemoryAfterACrashToo()
    {
        ExplorationHarness harness("short-loads=2 trial=kill@2 once");
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 crashed, 2 ok, 4 ok"));
        QCOMPARE(harness.log().count(QStringLiteral("is loaded again when more is free")), 2);
        QVERIFY(!harness.log().contains(QStringLiteral("Sizes are chosen by that")));
    }

    void givesUpADeviceThatHoldsItsWorker()
    {
        ExplorationHarness harness("", {1});
        harness.options.workerCommand = QStringLiteral(BATCHPEAK_STUCK_PROGRAM " 20");
        harness.parts.timeouts.quit = harness.parts.timeouts.terminate = harness.parts.timeouts.kill = 50ms;
        QVERIFY(harness.runToEnd());
        QVERIFY(harness.snapshot().finish == FinishStatus::Failed);
        VERIFY_CONTAINS(harness.snapshot().failure, "is stuck in a call of its driver");
        VERIFY_CONTAINS(harness.log(), "cpu is given up.");
        VERIFY_CONTAINS(harness.log(), "The worker cannot be ended");
        QCOMPARE(harness.snapshot().devices.front().restarts, 0);
    }
};

BATCHPEAK_TEST(WorkerRenewalTest)
#include "tst_worker_renewal.moc"
