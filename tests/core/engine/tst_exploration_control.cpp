// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/event_spy.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::Exploration;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;

/// Commands of a person, and what an exploration is set up from.
class ExplorationControlTest : public QObject
{
    Q_OBJECT

private slots:
    void describesTheRunBeforeItStarts();
    void stopCancelsTheRunningTrial();
    void stopKillsWhoeverDoesNotHeedIt();
    void stopWhileStarting();
    void pauseWaitsForTheTrialAndResumeGoesOn();
    void canStartAgainFromItsOwnEnd();
    void endsItsWorkersWhenDestroyed();
    void keepsTheTimeBudget();
    void usesEveryDevice();
    void goesOnWithoutADeviceThatFails();
    void limitsMemory_data();
    void limitsMemory();
    void refusesADeviceThatIsNotHere();
    void asksForTelemetryOfGpus();
};

void ExplorationControlTest::describesTheRunBeforeItStarts()
{
    ExplorationHarness harness({});
    const engine::Snapshot& snapshot = harness.snapshot();
    QCOMPARE(snapshot.state, State::Idle);
    QVERIFY(snapshot.run->parameters > 0);
    QCOMPARE(snapshot.run->plan.globalBatchSize, 64);
    QVERIFY(!snapshot.finish);
}

void ExplorationControlTest::stopCancelsTheRunningTrial()
{
    ExplorationHarness harness({QStringLiteral("trial=hang@2")});
    harness.parts.timeouts.cancel = 20s;
    test::EventSpy<engine::Finished> ended(harness.exploration());
    harness.exploration().start();
    QTRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 2 running"));
    harness.exploration().stop();
    QCOMPARE(harness.snapshot().state, State::Finishing);
    QTRY_COMPARE(ended.count(), 1);

    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 cancelled"));
    QVERIFY(harness.snapshot().finish == FinishStatus::Cancelled);
    QCOMPARE(harness.snapshot().searchState.recommendation->size, 1);
    QCOMPARE(harness.told.size(), 1U);
    QVERIFY(harness.isNoWorkerLeft());
}

void ExplorationControlTest::stopKillsWhoeverDoesNotHeedIt()
{
    ExplorationHarness harness({QStringLiteral("trial=hang@1"), QStringLiteral("ignore-cancel"),
                                QStringLiteral("ignore-terminate"), QStringLiteral("ignore-end")});
    harness.parts.timeouts.cancel = harness.parts.timeouts.quit = harness.parts.timeouts.terminate = 50ms;
    test::EventSpy<engine::Finished> ended(harness.exploration());
    harness.exploration().start();
    QTRY_COMPARE(harness.trials(), QStringLiteral("1 running"));
    harness.exploration().stop();
    QTRY_COMPARE(ended.count(), 1);

    QCOMPARE(harness.trials(), QStringLiteral("1 cancelled"));
    QVERIFY(!harness.snapshot().searchState.recommendation);
    QVERIFY(harness.isNoWorkerLeft());
}

void ExplorationControlTest::stopWhileStarting()
{
    ExplorationHarness harness({QStringLiteral("start=silent")});
    test::EventSpy<engine::Finished> ended(harness.exploration());
    harness.exploration().start();
    QCOMPARE(harness.snapshot().state, State::Starting);
    harness.exploration().stop();
    QTRY_COMPARE(ended.count(), 1);
    QVERIFY(harness.snapshot().finish == FinishStatus::Cancelled);
    QVERIFY(harness.isNoWorkerLeft());
}

void ExplorationControlTest::pauseWaitsForTheTrialAndResumeGoesOn()
{
    ExplorationHarness harness({});
    test::EventSpy<engine::Finished> ended(harness.exploration());
    engine::onEvent<engine::TrialStarted>(harness.exploration(), &harness, [&](const auto& started) {
        if (started.trial.number == 2)
            harness.exploration().pause();
    });
    harness.exploration().start();
    QTRY_COMPARE(harness.snapshot().state, State::Paused);
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok"));
    QVERIFY(!harness.snapshot().pauseRequested);
    QVERIFY(harness.snapshot().devices.front().workerPid > 0);

    harness.exploration().resume();
    QTRY_COMPARE(ended.count(), 1);
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
}

void ExplorationControlTest::canStartAgainFromItsOwnEnd()
{
    ExplorationHarness harness({});
    engine::onEvent<engine::Finished>(harness.exploration(), &harness, [&](const auto&) {
        if (harness.finishedSignals() == 1)
            harness.exploration().start();
    });
    harness.exploration().start();
    QTRY_COMPARE(harness.finishedSignals(), 2);
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
    QVERIFY(harness.isNoWorkerLeft());
}

void ExplorationControlTest::endsItsWorkersWhenDestroyed()
{
    auto exploring = std::make_unique<ExplorationHarness>(QStringList{
        QStringLiteral("trial=hang"), QStringLiteral("ignore-terminate"), QStringLiteral("ignore-end")});
    exploring->exploration().start();
    QTRY_COMPARE(exploring->trials(), QStringLiteral("1 running"));
    exploring->destroyExploration();
    QVERIFY(exploring->isNoWorkerLeft());
}

void ExplorationControlTest::keepsTheTimeBudget()
{
    ExplorationHarness harness({QStringLiteral("trial=hang@2")});
    harness.options.timeBudget = 1s;
    QVERIFY(harness.runToEnd());
    QVERIFY(harness.snapshot().finish == FinishStatus::Budget);
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 cancelled"));
    QCOMPARE(harness.snapshot().searchState.recommendation->size, 1);
}

void ExplorationControlTest::usesEveryDevice()
{
    ExplorationHarness harness({QStringLiteral("trial=hang")}, {1, 2, 4});
    harness.parts.localDevices = [] {
        return std::vector<device::LocalDevice>{{.kind = "cuda", .index = 0}, {.kind = "cuda", .index = 1}};
    };
    harness.exploration().start();
    QTRY_COMPARE(harness.trials(), QStringLiteral("1 running, 2 running"));
    const auto& trials = harness.snapshot().trials;
    QVERIFY(trials[0].device != trials[1].device);
    harness.exploration().stop();
    QTRY_COMPARE(harness.finishedSignals(), 1);
    QVERIFY(harness.isNoWorkerLeft());
}

void ExplorationControlTest::goesOnWithoutADeviceThatFails()
{
    ExplorationHarness harness({});
    harness.options.workerCommand = QStringLiteral("sh -c 'test $CUDA_VISIBLE_DEVICES = good && exec %1'")
                                        .arg(QStringLiteral(BATCHPEAK_FAKE_WORKER))
                                        .replace(QLatin1Char('\''), QLatin1Char('"'));
    harness.parts.localDevices = [] {
        return std::vector<device::LocalDevice>{{.kind = "cuda", .index = 0, .uuid = "bad"},
                                                {.kind = "cuda", .index = 1, .uuid = "good"}};
    };
    QVERIFY(harness.runToEnd());
    QVERIFY(harness.snapshot().finish == FinishStatus::Exhausted);
    QVERIFY2(harness.log().contains(QStringLiteral("cuda:0 is given up")), qPrintable(harness.log()));
    const auto& trials = harness.snapshot().trials;
    QVERIFY(std::ranges::all_of(trials, [](const auto& trial) { return trial.device == "cuda:1"; }));
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
}

void ExplorationControlTest::limitsMemory_data()
{
    QTest::addColumn<qint64>("asked");
    QTest::addColumn<qint64>("limit");
    QTest::newRow("the device's own") << qint64{0} << qint64{2'000'000'000};
    QTest::newRow("less than the device has") << qint64{1'000'000'000} << qint64{1'000'000'000};
    QTest::newRow("more than the device has") << qint64{9'000'000'000} << qint64{2'000'000'000};
}

void ExplorationControlTest::limitsMemory()
{
    QFETCH(qint64, asked);
    QFETCH(qint64, limit);
    ExplorationHarness harness({});
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

void ExplorationControlTest::refusesADeviceThatIsNotHere()
{
    ExplorationHarness harness({});
    harness.options.devices = {QStringLiteral("cuda:1")};
    harness.exploration().start();
    QVERIFY(!harness.snapshot().finish);
    QTRY_COMPARE(harness.finishedSignals(), 1);
    QCOMPARE(harness.snapshot().state, State::Failed);
    QVERIFY(harness.snapshot().failure.contains(QStringLiteral("no device cuda:1")));
}

void ExplorationControlTest::asksForTelemetryOfGpus()
{
    ExplorationHarness harness({QStringLiteral("trial=hang")});
    harness.parts.localDevices = [] {
        return std::vector<device::LocalDevice>{{.kind = "cuda", .index = 0, .uuid = "GPU-1"}};
    };
    harness.parts.readingsOf = [](const std::string& uuid) {
        return device::DeviceReadings{.temperatureCelsius = uuid == "GPU-1" ? 61 : 0};
    };
    harness.exploration().start();
    QTRY_COMPARE(harness.snapshot().devices.front().telemetry.temperatureCelsius, 61);
    harness.exploration().stop();
    QTRY_COMPARE(harness.finishedSignals(), 1);
}

BATCHPEAK_TEST(ExplorationControlTest)
#include "tst_exploration_control.moc"
