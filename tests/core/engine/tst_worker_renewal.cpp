// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using test::ExplorationHarness;

/// Tests workers that are ended and restarted within an exploration.
class WorkerRenewalTest : public QObject
{
    Q_OBJECT

private slots:
    void waitsForItsMemoryAfterACrashToo()
    {
        ExplorationHarness harness("short-loads=2 trial=kill@2 once");
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 crashed, 2 ok, 4 ok"));
        QCOMPARE(harness.log().count(QStringLiteral("is loaded again when more is free")), 2);
        QVERIFY(!harness.log().contains(QStringLiteral("Sizes are chosen by that")));
    }

    void givesUpADeviceWithAStuckWorker()
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

    // The first worker runs on another device than all later ones.
    void doesNotMixTwoDevices()
    {
        ExplorationHarness harness("starts until=1 line=renamed:hello:/device/name trial=exit@2");
        QVERIFY2(harness.endsAs(FinishStatus::Failed), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 crashed"));
        VERIFY_CONTAINS(harness.snapshot().failure, "Fake device where it was Fake device II.");
        QCOMPARE(harness.snapshot().devices.front().name, QStringLiteral("Fake device II"));
    }

    void doesNotVerifyOnAnotherDevice()
    {
        ExplorationHarness harness("starts after=1 line=hundredfold:hello:/device/total_bytes");
        harness.options.verify = true;
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
        QVERIFY(harness.snapshot().verification->outcome == engine::Verification::Outcome::NotRun);
        VERIFY_CONTAINS(harness.log(), "runs on another device than the one before it");
    }

    void doesNotContinueOnAnotherDevice()
    {
        ExplorationHarness harness("starts until=1 line=renamed:hello:/device/name");
        harness.more = {8};
        QVERIFY(harness.endsAs(FinishStatus::Exhausted));
        QVERIFY(harness.continuesToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
        VERIFY_CONTAINS(harness.snapshot().failure, "runs on another device than the one before it");
        QCOMPARE(harness.snapshot().searchState.recommendation->size, 4);
    }

    void loadsNoUntrustedCode()
    {
        const QTemporaryDir folder;
        const QString module = folder.filePath(QStringLiteral("net.pt"));
        test::writeFile(module, folder.path().toUtf8());
        ExplorationHarness harness("trial=exit@2");
        harness.contents.model = model::ModelSpec{
            .family = "torchscript",
            .architecture = model::ScriptSpec{.file = module.toStdString(), .inputs = {{.shape = {4}}}}};
        harness.options.trustsCode = true;
        engine::onEvent<engine::TrialFinished>(
            harness.exploration(), this,
            [&](const engine::TrialFinished&) { test::writeFile(module, "another one"); });
        QVERIFY2(harness.endsAs(FinishStatus::Failed), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 crashed"));
        VERIFY_CONTAINS(harness.snapshot().failure, "net.pt is not what was let run any more");
    }
};

BATCHPEAK_TEST(WorkerRenewalTest)
#include "tst_worker_renewal.moc"
