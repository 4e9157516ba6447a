// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "small_config.h"
#include "snapshot/predicted_sizes.h"
#include "support/fake_parts.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "training/confirmation_run.h"

#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <cmath>
#include <memory>
#include <utility>

using namespace batchpeak;
using batchpeak::test::smallConfig;
using training::ConfirmationRun;
using training::ConfirmationSnapshot;
using training::ConfirmedSize;

namespace {

constexpr int longestRunMilliseconds = 30000;

/// Returns a trial of the fake worker: 0.01 s, plus 0.001 s per sample.
trial::TrialRecord trialOf(std::int64_t size)
{
    return {.microBatchSize = size,
            .outcome = trial::Outcome::Ok,
            .relativeError = 0.001,
            .secondsPerStep = 0.01 + 0.001 * static_cast<double>(size),
            .optimizerSeconds = 0.002,
            .timedSteps = 5,
            .wallSeconds = 1.0};
}

/// Returns the speed of the fake worker's whole steps.
double formulaSpeed(const ConfirmedSize& size, std::int64_t batch)
{
    const auto samples = static_cast<double>(batch);
    return samples / (0.01 * static_cast<double>(size.predicted.accumulationSteps) + 0.001 * samples + 0.002);
}

/// Whether the prediction is off by less than 2 %: a curve through few trials is known to about a percent.
bool isAsPredicted(const ConfirmedSize& size)
{
    return std::abs(*size.miscorrelation()) < 0.02;
}

/// Returns the predictions of trials with the sizes 1, 8 and 16, of which 16 is recommended and 8 is the
/// runner-up.
std::vector<engine::PredictedSize> predicted(std::int64_t batch)
{
    engine::Snapshot exploration;
    exploration.run = engine::RunDescription{};
    exploration.run->plan.globalBatchSize = batch;
    exploration.searchState.recommendation = search::Recommendation{.size = 16};
    for (const std::int64_t size : {1, 8, 16})
        exploration.trials.push_back(trialOf(size));
    return engine::predictedSizes(exploration);
}

} // namespace

class ConfirmationRunTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_options = {};
        m_explored = {};
        m_batch = 64;
        engine::ExplorationParts parts = test::fakeParts();
        parts.timeouts.batch = std::chrono::seconds(20);
        m_run = std::make_unique<ConfirmationRun>(parts);
    }

    void cleanup() { m_run.reset(); }

    void achievesWhatFormulasPredict_data()
    {
        rows<int, int>({{"a multiple of both sizes", {64, 2}},
                        {"a multiple of neither", {61, 2}},
                        {"below the recommended size", {12, 2}},
                        {"of one sample, where all sizes are alike", {1, 1}}});
    }
    void achievesWhatFormulasPredict()
    {
        const auto& [batch, sizes] = row<int, int>();
        m_batch = batch;
        run("", 5);
        QVERIFY2(snapshot().failure.isEmpty(), qPrintable(snapshot().failure));
        QCOMPARE(snapshot().batchSize, batch);
        QCOMPARE(static_cast<int>(snapshot().sizes.size()), sizes);
        QCOMPARE(snapshot().stepsDone, 5 * sizes);
        QCOMPARE(snapshot().stepsInAll, 5 * sizes);
        QVERIFY(!snapshot().isStopped);
        for (const ConfirmedSize& size : snapshot().sizes) {
            QCOMPARE(size.steps, 5);
            QCOMPARE(*size.achievedSamplesPerSecond, formulaSpeed(size, batch));
            QVERIFY(isAsPredicted(size));
            QCOMPARE(size.relativeError, 0.0);
            QCOMPARE(*size.meanSamplesPerSecond, *size.achievedSamplesPerSecond);
            QVERIFY(!size.isDisturbed());
            QVERIFY(size.peakReservedBytes > 100'000'000);
        }
    }

    void reportsItsProgress()
    {
        QSignalSpy changes(m_run.get(), &ConfirmationRun::snapshotChanged);
        run("", 2);
        const auto at = [&](qsizetype i) { return changes.at(i).front().value<ConfirmationSnapshot>(); };
        QVERIFY(at(0).isRunning);
        QVERIFY(!at(0).sizes.front().achievedSamplesPerSecond);
        int done = 0;
        for (qsizetype i = 0; i < changes.size(); ++i) {
            QVERIFY(at(i).stepsDone == done || at(i).stepsDone == done + 1);
            done = at(i).stepsDone;
            QCOMPARE(at(i).isRunning, i + 1 < changes.size());
        }
        QCOMPARE(done, 4);
    }

    void measuresASlowerSize()
    {
        run("batch=slow@16", 5);
        QVERIFY(std::abs(*snapshot().sizes[0].miscorrelation() - (1.0 / 1.5 - 1.0)) < 0.02);
        QVERIFY(isAsPredicted(snapshot().sizes[1]));
    }

    void excludesAStallFromAllButTheMean()
    {
        // Step 11 is the second timed step of the first size.
        run("batch=slow#11", 4);
        const ConfirmedSize& size = snapshot().sizes[0];
        QVERIFY(isAsPredicted(size));
        QCOMPARE(*size.meanSamplesPerSecond, *size.achievedSamplesPerSecond * 4.0 / 4.5);
        QVERIFY(size.isDisturbed());
        QVERIFY(!snapshot().sizes[1].isDisturbed());
    }

    void reportsTrialsOfAnotherDevice_data()
    {
        const auto add = rows<Text, Text>();
        add("on this device", {"Fake device", ""});
        add("on another one", {"Fake A100", "Fake A100"});
        add("on an unknown one", {"", ""});
    }
    void reportsTrialsOfAnotherDevice()
    {
        const auto& [explored, device] = row<Text, Text>();
        m_explored.name = explored;
        run("", 2);
        QCOMPARE(snapshot().exploredDevice, device);
        const QString remarks = training::confirmationRemarks(snapshot()).join(QLatin1Char(' '));
        QCOMPARE(remarks.contains(QStringLiteral("Fake A100")), !device.isEmpty());
    }

    void reportsThrashing()
    {
        run("batch=thrash@16", 3);
        QVERIFY(snapshot().sizes[0].allocationRetries > 0);
        QCOMPARE(snapshot().sizes[1].allocationRetries, 0);
        VERIFY_CONTAINS(training::confirmationRemarks(snapshot(), QLocale::c()).join(QLatin1Char(' ')),
                        "16 thrash");
    }

    void continuesWithTheOtherSizeIfMemoryRunsOut_data()
    {
        rows<Text, int, int>({{"at the recommended one", {"batch=oom@16", 0, 0}},
                              {"at the other one", {"batch=oom@8", 1, 0}},
                              {"of the host", {"batch=host-memory@16", 0, 0}},
                              {"after some steps", {"batch=oom#11", 0, 1}},
                              {"for good, so that a fresh worker goes on", {"batch=lost-memory@16", 0, 0}}});
    }
    void continuesWithTheOtherSizeIfMemoryRunsOut()
    {
        const auto& [words, place, steps] = row<Text, int, int>();
        run(words, 4);
        QVERIFY2(snapshot().failure.isEmpty(), qPrintable(snapshot().failure));
        const ConfirmedSize& without = snapshot().sizes[static_cast<std::size_t>(place)];
        QVERIFY(without.ranOutOfMemory);
        QCOMPARE(without.steps, steps);
        const ConfirmedSize& other = snapshot().sizes[static_cast<std::size_t>(1 - place)];
        QVERIFY(!other.ranOutOfMemory);
        QCOMPARE(other.steps, 4);
        QCOMPARE(snapshot().stepsDone, snapshot().stepsInAll);
    }

    void endsIfNeitherSizeFits()
    {
        run("batch=oom", 4);
        QVERIFY(snapshot().failure.isEmpty());
        QVERIFY(snapshot().sizes[0].ranOutOfMemory && snapshot().sizes[1].ranOutOfMemory);
        QCOMPARE(snapshot().stepsDone, 0);
    }

    void explainsWhyItCannotContinue_data()
    {
        rows<Text, Text>({{"parameters", {"base=3000000000", "network alone"}},
                          {"no training", {"training=unknown", "cannot train"}},
                          {"no start", {"start=exit", ""}},
                          {"a crash", {"batch=abort#6", ""}},
                          {"a failure", {"batch=failed#6", "told to answer so"}},
                          {"a fresh worker elsewhere",
                           {"starts until=1 line=renamed:hello:/device/name batch=lost-memory@16",
                            "runs on another device than the one before it"}},
                          {"nonsense", {"batch=garbage#6", "protocol"}}});
    }
    void explainsWhyItCannotContinue()
    {
        const auto& [words, said] = row<Text, Text>();
        run(words, 4);
        QVERIFY(!snapshot().failure.isEmpty());
        VERIFY_CONTAINS(snapshot().failure, said);
        QVERIFY(!snapshot().isRunning);
    }

    void refusesDataTooSmallForAStep()
    {
        m_options.data = {.kind = trial::DataKind::Text, .path = "/any"};
        run("samples=63", 4);
        VERIFY_CONTAINS(snapshot().failure, "63 samples");
    }

    void restartsTheDataAtItsEnd()
    {
        m_options.data = {.kind = trial::DataKind::Text, .path = "/any"};
        run("samples=100", 4);
        QVERIFY2(snapshot().failure.isEmpty(), qPrintable(snapshot().failure));
        QCOMPARE(snapshot().stepsDone, 8);
    }

    void stopsAfterTheCurrentStep()
    {
        connect(m_run.get(), &ConfirmationRun::snapshotChanged, m_run.get(),
                [this](const ConfirmationSnapshot& now) {
                    if (now.stepsDone == 3)
                        m_run->stop();
                });
        run("", 4);
        QVERIFY(snapshot().isStopped);
        QVERIFY(snapshot().failure.isEmpty());
        QCOMPARE(snapshot().stepsDone, 3);
    }

    void stopsWhileTheNetworkIsLoaded()
    {
        begin("load=silent", 4);
        QSignalSpy finished(m_run.get(), &ConfirmationRun::finished);
        m_run->stop();
        QVERIFY(finished.wait(longestRunMilliseconds));
        QVERIFY(snapshot().isStopped);
        QVERIFY(snapshot().failure.isEmpty());
    }

    void cancelsTheStepOnASecondStop()
    {
        connect(m_run.get(), &ConfirmationRun::snapshotChanged, m_run.get(),
                [this](const ConfirmationSnapshot& now) {
                    // The step after this one never ends.
                    if (now.stepsDone == 1 && !std::exchange(m_isStopping, true))
                        QTimer::singleShot(0, m_run.get(), [this] {
                            m_run->stop();
                            m_run->stop();
                        });
                });
        m_isStopping = false;
        run("batch=hang#5", 4);
        QVERIFY(snapshot().isStopped);
        QVERIFY2(snapshot().failure.isEmpty(), qPrintable(snapshot().failure));
        QCOMPARE(snapshot().stepsDone, 1);
    }

    void runsAgain()
    {
        run("batch=abort#2", 4);
        QVERIFY(!snapshot().failure.isEmpty());
        run("", 4);
        QVERIFY(snapshot().failure.isEmpty());
        QCOMPARE(snapshot().stepsDone, 8);
    }

    void ignoresASecondStart()
    {
        begin("", 4);
        QSignalSpy finished(m_run.get(), &ConfirmationRun::finished);
        begin("", 1);
        QVERIFY(finished.wait(longestRunMilliseconds));
        QCOMPARE(snapshot().stepsDone, 8);
    }

private:
    const ConfirmationSnapshot& snapshot() const { return m_run->snapshot(); }

    void begin(const Text& words, int steps)
    {
        m_options.run.workerCommand = test::fakeWorkerCommand(words, m_folder);
        m_run->start(QStringLiteral("config.yaml"), smallConfig(m_batch), m_options, predicted(m_batch),
                     steps, m_explored);
    }

    void run(const Text& words, int steps)
    {
        QSignalSpy finished(m_run.get(), &ConfirmationRun::finished);
        begin(words, steps);
        QVERIFY(finished.count() > 0 || finished.wait(longestRunMilliseconds));
        QCOMPARE(finished.count(), 1);
        QVERIFY(!snapshot().isRunning);
    }

    QTemporaryDir m_folder;
    training::TrainingOptions m_options;
    engine::DeviceIdentity m_explored;
    std::int64_t m_batch = 64;
    bool m_isStopping = false;
    std::unique_ptr<ConfirmationRun> m_run;
};

BATCHPEAK_TEST(ConfirmationRunTest)
#include "tst_confirmation_run.moc"
