// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "text/errors.h"
#include "training_harness.h"

#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using test::TrainingHarness;
using training::TrainingEnd;
using training::TrainingRun;

/// Tests commands of the user during a training run.
class TrainingControlTest : public QObject
{
    Q_OBJECT

private slots:
    void stopsAfterTheCurrentStep()
    {
        TrainingHarness harness;
        TrainingRun& run = harness.run();
        connect(&run, &TrainingRun::snapshotChanged, &run,
                [&run](const training::TrainingSnapshot& snapshot) {
                    if (snapshot.steps.size() == 1 && snapshot.microBatchesDone == 1)
                        run.stop();
                });
        harness.options.steps.reset();
        QVERIFY2(harness.endsAs(TrainingEnd::Interrupted), qPrintable(harness.log()));
        QCOMPARE(harness.snapshot().steps.size(), 2U);
        QVERIFY(harness.snapshot().failure.isEmpty());
        VERIFY_CONTAINS(harness.log(), "Stopping after the step under way.");
        VERIFY_CONTAINS(harness.log(), "Training stopped after step 2.");
        QVERIFY(harness.isNoWorkerLeft());
    }

    void cancelsTheStepOnASecondStop_data()
    {
        rows<Text>({{"heeds it", "batch=hang#3"},
                    {"does not", "batch=hang#3 ignore-cancel"},
                    {"it continues its steps", "batch=endless#3"}});
    }
    void cancelsTheStepOnASecondStop()
    {
        const auto& words = row<Text>();
        TrainingHarness harness(words);
        harness.parts.timeouts.cancelBatch = words.contains(QLatin1String("ignore")) ? 100ms : 500ms;
        harness.run().start();
        TRY_COMPARE(harness.snapshot().steps.size(), 2U);
        harness.run().stop();
        QCoreApplication::processEvents();
        QCOMPARE(harness.finishedSignals(), 0);
        harness.run().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY2(harness.snapshot().end == TrainingEnd::Interrupted, qPrintable(harness.log()));
        QCOMPARE(harness.snapshot().steps.size(), 2U);
        QVERIFY(harness.snapshot().failure.isEmpty());
        QVERIFY(harness.isNoWorkerLeft());
    }

    void refusesToTrainInTheUsersTrainer()
    {
        TrainingHarness harness;
        harness.options.run.python = engine::anyPython;
        QVERIFY_THROWS_EXCEPTION(engine::ExplorationError, harness.run());
    }

    void stopsBeforeTheFirstStep()
    {
        TrainingHarness harness("start=late");
        harness.run().start();
        harness.run().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.snapshot().end == TrainingEnd::Interrupted);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void endsItsWorkerWhenDestroyed_data()
    {
        rows<Text>({{"starting", "start=silent"}, {"loading", "load=silent"}, {"training", "batch=endless"}});
    }
    void endsItsWorkerWhenDestroyed()
    {
        const auto& words = row<Text>();
        TrainingHarness harness(words);
        bool isUnderWay = false;
        connect(&harness.run(), &TrainingRun::snapshotChanged, &harness,
                [&](const training::TrainingSnapshot& snapshot) {
                    isUnderWay = words.startsWith(QLatin1String("batch")) ? snapshot.microBatchesDone > 0
                                                                          : snapshot.device.workerPid > 0;
                });
        harness.run().start();
        TRY_VERIFY(isUnderWay);
        harness.destroyRun();
        QVERIFY(harness.isNoWorkerLeft());
    }

    void runsAgain()
    {
        TrainingHarness harness;
        QVERIFY(harness.runToEnd());
        const QList<double> first = harness.losses();
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.losses(), first);
        QCOMPARE(harness.finishedSignals(), 2);
        harness.run().stop();
        QVERIFY(harness.snapshot().end == TrainingEnd::Completed);
    }

    void startsAtEachEpoch()
    {
        TrainingHarness harness;
        harness.options.steps.reset();
        harness.options.epochs = 3;
        // 140 samples are two batches and a rest that is left out.
        harness.options.data.samples = 140;
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.signalsSeen(),
                 QStringLiteral("started device epoch step step epoch step step epoch step step finished"));
        QCOMPARE(harness.snapshot().run->steps, 6);
        QCOMPARE(harness.snapshot().run->data, QStringLiteral("synthetic, 140 samples an epoch"));
        const auto& schedule = harness.snapshot().schedule;
        QCOMPARE(schedule.size(), 3U);
        QCOMPARE(schedule[2],
                 (training::ScheduleEntry{.epoch = 2, .step = 5, .microBatchSize = 64, .batchSize = 64}));
    }

    void requiresASingleDevice()
    {
        TrainingHarness harness;
        harness.parts.localDevices = [] {
            return device::LocalDevices{
                .devices = {{.kind = "cuda", .index = 0}, {.kind = "cuda", .index = 1}, {.kind = "cpu"}}};
        };
        harness.options.run.devices = {QStringLiteral("cuda")};
        QVERIFY_THROWS_EXCEPTION(engine::ExplorationError, harness.run());
        harness.destroyRun();
        harness.options.run.devices.clear();
        harness.run().start();
        TRY_COMPARE(harness.snapshot().device.id, QStringLiteral("cuda:0"));
    }
};

BATCHPEAK_TEST(TrainingControlTest)
#include "tst_training_control.moc"
