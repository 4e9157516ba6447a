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

/// Tests explorations whose workers not even SIGKILL ends.
class StuckWorkersTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { test::sendSignal(m_stuck, SIGKILL); }

    void endsAllTheSameAndStartsNoOther()
    {
        ExplorationHarness harness("stuck=60");
        beImpatient(harness);
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

        // When the driver lets go of it at last, the device is to be had again.
        test::sendSignal(m_stuck, SIGKILL);
        TRY_VERIFY(test::isGone(m_stuck));
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        m_stuck = test::stuckProcessIn(harness.log());
    }

    void givesTheDeviceUpInTheMiddle_data()
    {
        // What ends the worker: it hangs in a trial, or would be replaced after one.
        rows<Text, Text>({{"hangs", {"trial=hang@2", "1 ok, 2 timeout"}},
                          {"is replaced", {"trial=lost-memory@2", "1 ok, 2 oom"}}});
    }
    void givesTheDeviceUpInTheMiddle()
    {
        const auto& [words, trials] = row<Text, Text>();
        ExplorationHarness harness(Text(words + QStringLiteral(" stuck=60")));
        beImpatient(harness);
        // Half a second of the limit of a trial that nothing is known of.
        harness.parts.timeouts.trialGrace = -299'500ms;
        QVERIFY(harness.runToEnd());
        m_stuck = test::stuckProcessIn(harness.log());
        QVERIFY2(m_stuck > 0, qPrintable(harness.log()));
        QCOMPARE(harness.trials(), trials);
        VERIFY_CONTAINS(harness.log(), QStringLiteral("cpu is given up. "));
        QCOMPARE(harness.snapshot().devices.front().restarts, words.contains(QLatin1String("lost")) ? 1 : 0);
    }

    // As when a window is closed twice. The first one is held for as long as the second lives, so that who
    // waits for it first waits in vain.
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

    void knowsOneForAsLongAsItIsThere()
    {
        engine::StuckWorkers workers;
        QCOMPARE(workers.pidOn(QStringLiteral("cpu")), 0);
        workers.add(QStringLiteral("cpu"), qApp->applicationPid());
        QCOMPARE(workers.pidOn(QStringLiteral("cpu")), qApp->applicationPid());
        QCOMPARE(workers.pidOn(QStringLiteral("cuda:0")), 0);
    }

private:
    static void beImpatient(ExplorationHarness& harness)
    {
        engine::WorkerTimeouts& timeouts = harness.parts.timeouts;
        timeouts.quit = timeouts.terminate = timeouts.kill = 50ms;
    }

    qint64 m_stuck = 0;
};

BATCHPEAK_TEST(StuckWorkersTest)
#include "tst_stuck_workers.moc"
