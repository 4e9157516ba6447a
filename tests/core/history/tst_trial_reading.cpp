// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/trial_reading.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using engine::RunDescription;
using search::Objective;

/// Tests what a trial of several processes says: their speed together, and the part of a micro-batch that is
/// only in the last one of an optimizer step.
class TrialReadingTest : public QObject
{
    Q_OBJECT

private slots:
    void countsTheReductionOnce_data()
    {
        // Objective, processes, time of the reduction; time of a micro-batch and of the optimizer for the
        // search, and samples/s of all processes. A micro-batch of 4 takes 0.5 s, the optimizer 0.1 s, and a
        // process has 16 samples in an optimizer step.
        rows<Objective, int, double, double, double, double>(
            {{"micro-batches of one process", {Objective::Micro, 1, 0.0, 0.5, 0.1, 8.0}},
             {"micro-batches of two", {Objective::Micro, 2, 0.2, 0.5, 0.1, 16.0}},
             {"steps of one process", {Objective::Effective, 1, 0.0, 0.5, 0.1, 16.0 / 2.1}},
             {"steps of two", {Objective::Effective, 2, 0.2, 0.3, 0.3, 2 * 16.0 / (4 * 0.3 + 0.2 + 0.1)}}});
    }
    void countsTheReductionOnce()
    {
        const auto& [objective, processes, reduction, microBatch, optimizer, speed] =
            row<Objective, int, double, double, double, double>();
        RunDescription run{.processes = processes, .objective = objective};
        run.plan = {.globalBatchSize = 16 * processes, .devices = processes};
        trial::TrialResult result{.id = 1,
                                  .microBatchSize = 4,
                                  .outcome = trial::Outcome::Ok,
                                  .steps = 2,
                                  .secondsPerStep = 0.5,
                                  .stepSeconds = {0.5, 0.5},
                                  .optimizerSeconds = 0.1};
        if (reduction > 0.0)
            result.reductionSeconds = reduction;

        trial::TrialRecord record{.number = 1, .microBatchSize = 4};
        engine::finishTrial(record, result, {}, {}, run);
        QCOMPARE(record.samplesPerSecond, speed);
        QCOMPARE(record.secondsPerStep, 0.5);

        const auto told =
            engine::measurementOf(record, engine::inObjective(result, objective), /*workerLost=*/false, 1.0);
        QCOMPARE(told.secondsPerStep, microBatch);
        QCOMPARE(told.stepSeconds.back(), microBatch);
        QCOMPARE(told.optimizerSeconds, optimizer);
    }

    void leavesATimeToEachStep()
    {
        const trial::TrialResult result{
            .secondsPerStep = 0.5, .stepSeconds = {0.5, 0.4}, .reductionSeconds = 0.6};
        const trial::TrialResult counted = engine::inObjective(result, Objective::Effective);
        QVERIFY(counted.secondsPerStep > 0.0);
        QVERIFY(counted.stepSeconds.back() > 0.0);
    }
};

BATCHPEAK_TEST(TrialReadingTest)
#include "tst_trial_reading.moc"
