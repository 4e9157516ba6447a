// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "plan/exploration_plan.h"
#include "support/fake_parts.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/device_pool.h"
#include "workers/stuck_workers.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>
#include <thread>
#include <vector>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using test::ExplorationHarness;

/// Tests explorations with workers that not even SIGKILL ends.
class StuckWorkersTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { test::sendSignal(m_stuck, SIGKILL); }

    void endsAnywayAndStartsNoOther()
    {
        ExplorationHarness harness("stuck=60");
        shortenTimeouts(harness);
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok"));
        m_stuck = test::stuckProcessIn(harness.log());
        QVERIFY2(m_stuck > 0 && !test::isGone(m_stuck), qPrintable(harness.log()));
        QCOMPARE(harness.log().count(QStringLiteral("is stuck in a call of its driver")), 1);

        QVERIFY(harness.endsAs(FinishStatus::Failed));
        QCOMPARE(harness.trials(), QString());
        VERIFY_CONTAINS(harness.snapshot().failure,
                        QStringLiteral("No worker is started on cpu beside process %1").arg(m_stuck));
        QCOMPARE(harness.snapshot().devices.front().restarts, 0);

        // The device is usable again once the driver releases the process.
        test::sendSignal(m_stuck, SIGKILL);
        TRY_VERIFY(test::isGone(m_stuck));
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        m_stuck = test::stuckProcessIn(harness.log());
    }

    void givesUpTheDeviceDuringAnExploration_data()
    {
        // The worker hangs in a trial, or is to be replaced after one.
        rows<Text, Text>({{"hangs", {"trial=hang@2", "1 ok, 2 timeout"}},
                          {"is replaced", {"trial=lost-memory@2", "1 ok, 2 oom"}}});
    }
    void givesUpTheDeviceDuringAnExploration()
    {
        const auto& [words, trials] = row<Text, Text>();
        ExplorationHarness harness(Text(words + QStringLiteral(" stuck=60")));
        shortenTimeouts(harness);
        // Reduces the time limit of a trial without a prediction to 0.5 s.
        harness.parts.timeouts.trialGrace = -299'500ms;
        QVERIFY(harness.runToEnd());
        m_stuck = test::stuckProcessIn(harness.log());
        QVERIFY2(m_stuck > 0, qPrintable(harness.log()));
        QCOMPARE(harness.trials(), trials);
        VERIFY_CONTAINS(harness.log(), QStringLiteral("cpu is given up. "));
        QCOMPARE(harness.snapshot().devices.front().restarts, words.contains(QLatin1String("lost")) ? 1 : 0);
    }

    // This occurs when a window is closed twice. The first worker is held for as long as the second one
    // lives, so waiting for the first one alone would fail.
    void areWaitedForTogetherAtTheEnd()
    {
        const auto setupOf = [load = engine::planExploration(QStringLiteral("config.yaml"),
                                                             ExplorationHarness("").contents, {})
                                         .load](const char* id, const QStringList& words) {
            return engine::DeviceSetup{
                .id = QString::fromUtf8(id),
                .command = {.program = QStringLiteral(BATCHPEAK_FAKE_WORKER), .arguments = words},
                .load = load,
                .timeouts = {.kill = 10s}};
        };
        auto pool = std::make_unique<engine::DevicePool>(
            std::vector{setupOf("a", {QStringLiteral("stuck=60")}), setupOf("b", {})});
        QSignalSpy settled(pool.get(), &engine::DevicePool::ready);
        pool->start();
        TRY_COMPARE(settled.count(), 1);
        m_stuck = pool->snapshots().front().workerPid;
        const std::jthread driver([stuck = m_stuck, other = pool->snapshots().back().workerPid] {
            while (test::isAlive(other))
                std::this_thread::yield();
            test::sendSignal(stuck, SIGKILL);
        });
        pool.reset();
        QVERIFY(test::isGone(m_stuck));
    }

    void remembersAProcessWhileItExists()
    {
        engine::StuckWorkers workers;
        QCOMPARE(workers.pidOn(QStringLiteral("cpu")), 0);
        workers.add(QStringLiteral("cpu"), qApp->applicationPid());
        QCOMPARE(workers.pidOn(QStringLiteral("cpu")), qApp->applicationPid());
        QCOMPARE(workers.pidOn(QStringLiteral("cuda:0")), 0);
    }

private:
    static void shortenTimeouts(ExplorationHarness& harness)
    {
        engine::WorkerTimeouts& timeouts = harness.parts.timeouts;
        timeouts.quit = timeouts.terminate = timeouts.kill = 50ms;
    }

    qint64 m_stuck = 0;
};

BATCHPEAK_TEST(StuckWorkersTest)
#include "tst_stuck_workers.moc"
