// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/fake_parts.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <algorithm>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::Exploration;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;

/// Tests commands of the user, and the settings of an exploration.
class ExplorationControlTest : public QObject
{
    Q_OBJECT

private slots:
    void describesTheRunBeforeItStarts()
    {
        ExplorationHarness harness;
        const engine::Snapshot& snapshot = harness.snapshot();
        QCOMPARE(snapshot.state, State::Idle);
        QVERIFY(snapshot.run->parameters > 0);
        QCOMPARE(snapshot.run->plan.globalBatchSize, 64);
        QVERIFY(!snapshot.finish);
    }

    void excludesTheWorkersContextFromOtherPrograms()
    {
        ExplorationHarness harness("start=bound");
        QVERIFY(harness.runToEnd());
        const engine::DeviceSnapshot& device = harness.snapshot().devices.front();
        QCOMPARE(device.heldByOthersBytes, 0);
        QCOMPARE(device.limitBytes, device.totalBytes / 2);
    }

    void reportsTheAttentionKernel_data()
    {
        using enum model::Attention;
        rows<model::Attention, std::string, Text>(
            {{"PyTorch's choice", {Automatic, "flash", ""}},
             {"what was asked for", {Flash, "flash", ""}},
             {"another one", {Cudnn, "flash", "\"cudnn\" is not available for this network"}},
             {"an unidentified one", {Flash, "sdpa", ""}}});
    }
    void reportsTheAttentionKernel()
    {
        const auto& [asked, kernel, warning] = row<model::Attention, std::string, Text>();
        const QString name = QString::fromStdString(kernel);
        ExplorationHarness harness(QStringLiteral("attention=%1").arg(name));
        harness.options.attention = asked;
        QVERIFY(harness.runToEnd());
        const QString text = QStringLiteral("attention is computed by the kernel \"%1\".").arg(name);
        QCOMPARE(harness.log().count(text), 1);
        VERIFY_CONTAINS(harness.log(), warning);
        QCOMPARE(harness.log().contains(QStringLiteral("is not available for this network")),
                 !warning.isEmpty());
        QCOMPARE(harness.snapshot().devices.front().attention, name);
        for (const trial::TrialRecord& trial : harness.snapshot().trials)
            QCOMPARE(trial.attention, kernel);
    }

    void stopCancelsTheRunningTrial()
    {
        ExplorationHarness harness("trial=hang@2");
        harness.parts.timeouts.cancel = 20s;
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 2 running"));
        harness.exploration().stop();
        QCOMPARE(harness.snapshot().state, State::Finishing);
        TRY_COMPARE(harness.finishedSignals(), 1);

        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 cancelled"));
        QVERIFY(harness.snapshot().finish == FinishStatus::Cancelled);
        QCOMPARE(harness.snapshot().searchState.recommendation->size, 1);
        QCOMPARE(harness.told.size(), 1U);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void stopKillsAWorkerThatIgnoresIt()
    {
        ExplorationHarness harness("trial=hang@1 ignore-cancel ignore-terminate ignore-end");
        harness.parts.timeouts.cancel = harness.parts.timeouts.quit = harness.parts.timeouts.terminate = 50ms;
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 running"));
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);

        QCOMPARE(harness.trials(), QStringLiteral("1 cancelled"));
        QVERIFY(!harness.snapshot().searchState.recommendation);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void stopWhileStarting()
    {
        ExplorationHarness harness("start=silent");
        harness.exploration().start();
        QCOMPARE(harness.snapshot().state, State::Starting);
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.snapshot().finish == FinishStatus::Cancelled);
        QVERIFY(harness.isNoWorkerLeft());
    }

    // A pause cancels the trial so that the user need not wait for long, and the trial does not count.
    void pauseCancelsTheTrial_data()
    {
        rows<Text, int>({{"a worker that obeys a cancel", {"once trial=hang@2", 0}},
                         {"one that does not", {"once trial=hang@2 ignore-cancel", 1}}});
    }
    void pauseCancelsTheTrial()
    {
        const auto& [words, restarts] = row<Text, int>();
        ExplorationHarness harness(words);
        QVERIFY(harness.parts.timeouts.cancel <= 1s);
        if (restarts > 0)
            harness.parts.timeouts.cancel = 50ms;
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 2 running"));
        harness.exploration().pause();
        QVERIFY(harness.snapshot().canResume());
        TRY_COMPARE(harness.snapshot().state, State::Paused);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 cancelled"));
        QCOMPARE(harness.told.size(), 1U);

        harness.exploration().resume();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 cancelled, 2 ok, 4 ok"));
        QCOMPARE(harness.told.size(), 3U);
        QCOMPARE(harness.snapshot().devices.front().restarts, restarts);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void resumesWhileTheTrialEnds()
    {
        ExplorationHarness harness("once trial=hang@2");
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 2 running"));
        harness.exploration().pause();
        harness.exploration().resume();
        QVERIFY(!harness.snapshot().canResume());
        QCOMPARE(harness.snapshot().state, State::Exploring);
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 cancelled, 2 ok, 4 ok"));
    }

    void pauseCountsAFinishedTrial()
    {
        ExplorationHarness harness;
        engine::onEvent<engine::TrialStarted>(harness.exploration(), &harness, [&](const auto& started) {
            if (started.trial.number == 2)
                harness.exploration().pause();
        });
        harness.exploration().start();
        TRY_COMPARE(harness.snapshot().state, State::Paused);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok"));
        QVERIFY(!harness.snapshot().pauseRequested);
        QVERIFY(harness.snapshot().devices.front().workerPid > 0);

        harness.exploration().resume();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
    }

    void canStartAgainFromItsOwnEnd()
    {
        ExplorationHarness harness;
        engine::onEvent<engine::Finished>(harness.exploration(), &harness, [&](const auto&) {
            if (harness.finishedSignals() == 1)
                harness.exploration().start();
        });
        harness.exploration().start();
        TRY_COMPARE(harness.finishedSignals(), 2);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
        QVERIFY(harness.isNoWorkerLeft());
    }

    void endsItsWorkersWhenDestroyed()
    {
        auto exploring = std::make_unique<ExplorationHarness>("trial=hang ignore-terminate ignore-end");
        exploring->exploration().start();
        TRY_COMPARE(exploring->trials(), QStringLiteral("1 running"));
        exploring->destroyExploration();
        QVERIFY(exploring->isNoWorkerLeft());
    }

    void keepsTheTimeBudget()
    {
        ExplorationHarness harness("trial=hang@2");
        harness.options.timeBudget = 1s;
        QVERIFY2(harness.endsAs(FinishStatus::Budget), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 cancelled"));
        QCOMPARE(harness.snapshot().searchState.recommendation->size, 1);
    }

    void usesEveryDevice()
    {
        ExplorationHarness harness("trial=hang", {1, 2, 4});
        test::setGpus(harness.parts, {"first", "second"});
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 running, 2 running"));
        const auto& trials = harness.snapshot().trials;
        QVERIFY(trials[0].device != trials[1].device);
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void continuesWithoutADeviceThatFails()
    {
        ExplorationHarness harness;
        harness.options.workerCommand = QStringLiteral("sh -c 'test $CUDA_VISIBLE_DEVICES = good && exec %1'")
                                            .arg(QStringLiteral(BATCHPEAK_FAKE_WORKER))
                                            .replace(QLatin1Char('\''), QLatin1Char('"'));
        test::setGpus(harness.parts, {"bad", "good"});
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        VERIFY_CONTAINS(harness.log(), "cuda:0 is given up");
        const auto& trials = harness.snapshot().trials;
        QVERIFY(std::ranges::all_of(trials, [](const auto& trial) { return trial.device == "cuda:1"; }));
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
    }

    // The user decides whether the CPU replaces an unusable GPU.
    void offersTheCpuInsteadOfAnUnusableGpu_data()
    {
        rows<bool>({{"the driver lists none", true}, {"no worker comes up on it", false}});
    }
    void offersTheCpuInsteadOfAnUnusableGpu()
    {
        const auto isHidden = row<bool>();
        ExplorationHarness harness("start=refuse");
        if (isHidden)
            harness.parts.localDevices = [] {
                return device::LocalDevices{.devices = {{.kind = "cpu"}},
                                            .gpuProblem = "The driver is too old."};
            };
        else
            test::setGpus(harness.parts, {"GPU-1"});
        QVERIFY(harness.endsAs(FinishStatus::Failed));
        VERIFY_CONTAINS(harness.snapshot().failure, isHidden ? "The driver is too old." : "refuses to start");
        QVERIFY(harness.snapshot().offersCpu());
        QVERIFY(harness.isNoWorkerLeft());
    }

    void offersNoCpuInsteadOfTheCpu()
    {
        ExplorationHarness harness("start=refuse");
        QVERIFY(harness.endsAs(FinishStatus::Failed));
        QVERIFY(!harness.snapshot().offersCpu());
    }

    void limitsMemory_data()
    {
        rows<qint64, qint64>({{"the device's own", {0, 2'000'000'000}},
                              {"less than the device has", {1'000'000'000, 1'000'000'000}},
                              {"more than the device has", {9'000'000'000, 2'000'000'000}}});
    }
    void limitsMemory()
    {
        const auto& [asked, limit] = row<qint64, qint64>();
        ExplorationHarness harness;
        if (asked > 0)
            harness.options.memoryLimitBytes = asked;
        harness.options.headroom = 0.25;
        QVERIFY(harness.runToEnd());
        const engine::DeviceSnapshot& device = harness.snapshot().devices.front();
        QCOMPARE(device.limitBytes, limit);
        QCOMPARE(device.usableBytes, limit / 4 * 3);
        QCOMPARE(harness.space.memoryLimitBytes, limit / 4 * 3);
        QCOMPARE(harness.space.baselineBytes, 100'000'000);
    }

    void refusesADeviceThatIsNotHere()
    {
        ExplorationHarness harness;
        harness.options.devices = {QStringLiteral("cuda:1")};
        harness.exploration().start();
        QVERIFY(!harness.snapshot().finish);
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.snapshot().state, State::Failed);
        VERIFY_CONTAINS(harness.snapshot().failure, "no device cuda:1");
    }

    void asksForTelemetryOfGpus()
    {
        ExplorationHarness harness("trial=hang");
        test::setGpus(harness.parts, {"GPU-1"});
        harness.parts.readingsOf = [](const std::string& uuid) {
            return device::DeviceReadings{.temperatureCelsius = uuid == "GPU-1" ? 61 : 0};
        };
        harness.exploration().start();
        TRY_COMPARE(harness.snapshot().devices.front().telemetry.temperatureCelsius, 61);
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
    }
};

BATCHPEAK_TEST(ExplorationControlTest)
#include "tst_exploration_control.moc"
