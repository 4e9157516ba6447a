// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/fake_parts.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/confirmation_run.h"
#include "training_harness.h"

#include <QSignalSpy>
#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using test::TrainingHarness;
using training::ConfirmationRun;
using training::TrainingEnd;

/// Tests training runs and confirmation runs whose worker survives even SIGKILL.
class TrainingStuckWorkersTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { test::sendSignal(m_stuck, SIGKILL); }

    void endsAndStartsNoOtherWorker()
    {
        TrainingHarness harness("stuck=60");
        shortenTimeouts(harness);
        QVERIFY2(harness.endsAs(TrainingEnd::Completed), qPrintable(harness.log()));
        QCOMPARE(static_cast<int>(harness.snapshot().steps.size()), 4);
        m_stuck = test::stuckProcessIn(harness.log());
        QVERIFY2(m_stuck > 0 && !test::isGone(m_stuck), qPrintable(harness.log()));

        QVERIFY(harness.endsAs(TrainingEnd::Failed));
        QVERIFY(harness.snapshot().steps.empty());
        VERIFY_CONTAINS(harness.snapshot().failure,
                        QStringLiteral("No worker is started on cpu beside process %1").arg(m_stuck));
    }

    void startsNoWorkerWhileThatOfTheSearchIsStuck()
    {
        TrainingHarness harness("stuck=60");
        shortenTimeouts(harness);
        harness.options.maximum = training::MaximumWay::Binary;
        QVERIFY2(harness.endsAs(TrainingEnd::Failed), qPrintable(harness.log()));
        m_stuck = test::stuckProcessIn(harness.log());
        QVERIFY2(m_stuck > 0, qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.snapshot().failure,
                        QStringLiteral("No worker is started on cpu beside process %1").arg(m_stuck));
    }

    void startsNoSecondWorkerInAConfirmation()
    {
        TrainingHarness harness("batch=lost-memory#1 stuck=60");
        shortenTimeouts(harness);
        ConfirmationRun run(harness.parts);
        QSignalSpy finished(&run, &ConfirmationRun::finished);
        run.start(QStringLiteral("config.yaml"), harness.contents, harness.options,
                  {{.microBatchSize = 16, .accumulationSteps = 4, .samplesPerSecond = 1000.0},
                   {.microBatchSize = 8, .accumulationSteps = 8, .samplesPerSecond = 900.0}},
                  2);
        QVERIFY(finished.wait(30000));
        const QString failure = run.snapshot().failure;
        m_stuck = test::stuckProcessIn(failure);
        QVERIFY2(m_stuck > 0, qPrintable(failure));
        QCOMPARE(run.snapshot().stepsDone, 0);
    }

private:
    static void shortenTimeouts(TrainingHarness& harness)
    {
        engine::WorkerTimeouts& timeouts = harness.parts.timeouts;
        timeouts.quit = timeouts.terminate = timeouts.kill = 50ms;
    }

    qint64 m_stuck = 0;
};

BATCHPEAK_TEST(TrainingStuckWorkersTest)
#include "tst_training_stuck_workers.moc"
