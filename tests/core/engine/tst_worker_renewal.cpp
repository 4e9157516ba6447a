// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using engine::FinishStatus;
using test::ExplorationHarness;

/// Explorations with the real worker on a device that breaks down.
class WorkerRenewalTest : public QObject
{
    Q_OBJECT

private slots:
    void repeatsTheTrialInAFreshWorker_data()
    {
        QTest::addColumn<QString>("breakdown");
        QTest::addColumn<QString>("said");
        QTest::newRow("illegal access")
            << QStringLiteral("illegal-access") << QStringLiteral("illegal memory access");
        QTest::newRow("memory in disguise")
            << QStringLiteral("cublas") << QStringLiteral("CUBLAS_STATUS_NOT_INITIALIZED");
    }
    void repeatsTheTrialInAFreshWorker()
    {
        QFETCH(QString, breakdown);
        QFETCH(QString, said);
        const QTemporaryDir folder;
        ExplorationHarness harness({}, {1, 2});
        harness.options.workerCommand = QStringLiteral(BATCHPEAK_BREAKING_WORKER " %1 %2")
                                            .arg(breakdown, folder.filePath(QStringLiteral("once")));
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 crashed, 1 ok, 2 ok"));
        QVERIFY(harness.snapshot().finish == FinishStatus::Exhausted);
        QCOMPARE(harness.snapshot().devices.front().restarts, 1);
        QVERIFY2(harness.log().contains(said), qPrintable(harness.log()));
        QVERIFY(harness.isNoWorkerLeft());
    }

    void repeatsItOnlyOnce()
    {
        ExplorationHarness harness({}, {1});
        harness.options.workerCommand = QStringLiteral(BATCHPEAK_BREAKING_WORKER " cublas");
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 crashed, 1 crashed"));
        QVERIFY(harness.snapshot().finish == FinishStatus::Failed);
        QVERIFY2(harness.snapshot().failure.contains(QStringLiteral("CUBLAS_STATUS_NOT_INITIALIZED")),
                 qPrintable(harness.snapshot().failure));
        QVERIFY(harness.isNoWorkerLeft());
    }
};

BATCHPEAK_TEST(WorkerRenewalTest)
#include "tst_worker_renewal.moc"
