// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/step_prediction.h"

#include "engine/exploration.h"
#include "engine/exploration_recorder.h"
#include "store/exploration_store.h"
#include "support/event_spy.h"
#include "support/fake_parts.h"
#include "support/rows.h"
#include "support/small_config.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/training_run.h"
#include "training/training_snapshot_builder.h"

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace batchpeak;
using training::StepPrediction;
using training::StepRecord;
using training::TrainingSnapshotBuilder;

namespace {

/// Returns an exploration of the sizes 4, 8 and 16. Each takes 0.1 s plus 0.01 s per sample, and the
/// optimizer 0.2 s.
store::StoredExploration someExploration()
{
    store::StoredExploration exploration;
    exploration.summary.info = {.phase = QStringLiteral("train"), .globalBatchSize = 24};
    exploration.summary.recommendation = store::RecommendationRecord{.microBatchSize = 8};
    for (const std::int64_t size : {4, 8, 16})
        exploration.trials.push_back({.number = static_cast<int>(size),
                                      .microBatchSize = size,
                                      .outcome = trial::Outcome::Ok,
                                      .relativeError = 0.001,
                                      .secondsPerStep = 0.1 + 0.01 * static_cast<double>(size),
                                      .optimizerSeconds = 0.2,
                                      .timedSteps = 5,
                                      .wallSeconds = 1.0});
    return exploration;
}

StepRecord stepOf(std::int64_t step, double seconds, double predicted)
{
    return {.step = step,
            .batchSize = 64,
            .microBatchSize = 8,
            .seconds = seconds,
            .samplesPerSecond = 64.0 / seconds,
            .predictedSamplesPerSecond = predicted};
}

} // namespace

class StepPredictionTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { QFile::remove(store::ExplorationStore::defaultPath()); }

    void predictsWholeStepsOfAnyBatch_data()
    {
        // 0 seconds mean that nothing is predicted.
        rows<int, int, double>({{"the config's batch", {24, 8, 0.2 + 3 * 0.18}},
                                {"a batch that has grown", {48, 16, 0.2 + 3 * 0.26}},
                                {"a size between", {24, 12, 0.2 + 2 * 0.22}},
                                {"beyond what was measured", {64, 32, 0.0}},
                                {"below what was measured", {24, 2, 0.0}},
                                {"the batch is smaller than the size", {8, 32, 0.2 + 0.18}}});
    }
    void predictsWholeStepsOfAnyBatch()
    {
        const auto& [batch, size, seconds] = row<int, int, double>();
        StepPrediction prediction(someExploration());
        const double predicted = prediction.samplesPerSecond(batch, size);
        if (seconds == 0.0)
            QCOMPARE(predicted, 0.0);
        else
            QVERIFY2(std::abs(batch / predicted / seconds - 1.0) < 0.02,
                     qPrintable(QString::number(batch / predicted)));
        QCOMPARE(prediction.samplesPerSecond(batch, size), predicted);
        QCOMPARE(StepPrediction().samplesPerSecond(batch, size), 0.0);
    }

    // The first step of a size is a warm-up, which is not compared with the prediction.
    void ignoresWarmUpStepsInTheComparison()
    {
        TrainingSnapshotBuilder builder({});
        builder.addStep(stepOf(1, 9.0, 64.0));
        QVERIFY(!builder.snapshot().overPrediction);
        builder.addStep(stepOf(2, 1.0, 64.0));
        builder.addStep(stepOf(3, 1.5, 64.0));
        QCOMPARE(*builder.snapshot().overPrediction, 2.0 / 2.5 - 1.0);
        builder.addStep(stepOf(4, 100.0, 0.0));
        QCOMPARE(*builder.snapshot().overPrediction, 2.0 / 2.5 - 1.0);
    }

    void isInTheStepsOfARun()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("config.yaml"));
        QVERIFY(QFile(file).open(QIODevice::WriteOnly));
        engine::ExplorationOptions options;
        options.workerCommand = test::fakeWorkerCommand({}, folder);
        options.maximum = 32;
        options.maxTrials = 6;
        options.verify = false;
        {
            engine::Exploration exploration(test::fakeParts());
            const engine::ExplorationRecorder recorder(exploration, store::ExplorationStore::defaultPath());
            exploration.load(file, test::smallConfig(), options);
            test::EventSpy<engine::Finished> finished(exploration);
            exploration.start();
            QVERIFY(finished.wait(test::longestWaitMilliseconds));
        }
        training::TrainingOptions training;
        training.run = options;
        training.run.setting = config::Fixed{16};
        training.steps = 4;
        training::TrainingRun run(test::fakeParts());
        run.load(file, test::smallConfig(), training);
        test::EventSpy<training::TrainingFinished> ended(run);
        run.start();
        QVERIFY(ended.count() > 0 || ended.wait(test::longestWaitMilliseconds));
        const auto& steps = run.snapshot().steps;
        QCOMPARE(steps.size(), 4U);
        for (const StepRecord& step : steps)
            QVERIFY2(std::abs(step.predictedSamplesPerSecond / step.samplesPerSecond - 1.0) < 0.05,
                     qPrintable(QString::number(step.predictedSamplesPerSecond)));
        QVERIFY(run.snapshot().overPrediction);
    }
};

BATCHPEAK_TEST(StepPredictionTest)
#include "tst_step_prediction.moc"
