// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/fake_parts.h"
#include "support/no_threads.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/background_thread.h"
#include "workers/run_devices.h"

#include <QTest>
#include <QThread>

#include <atomic>
#include <semaphore>
#include <vector>

using namespace batchpeak;
using engine::Telemetry;
using engine::Throttle;

namespace {

/// Returns the telemetry of a GPU with these readings and the process of a worker.
Telemetry shown(const device::DeviceReadings& readings, std::int64_t worker)
{
    engine::ExplorationParts parts = test::fakeParts();
    test::setGpus(parts, {"GPU-1"});
    parts.readingsOf = [readings](const std::string& /*uuid*/) { return readings; };
    const engine::RunDevices devices({}, {.workerCommand = QStringLiteral("worker")}, parts);
    return devices.telemetry({worker}).front();
}

} // namespace

/// Tests the telemetry that is shown for devices, and that reading it does not block.
class DeviceTelemetryTest : public QObject
{
    Q_OBJECT

private slots:
    void readsInTheBackgroundOneAtATime()
    {
        std::counting_semaphore answer(0);
        std::atomic<int> reads = 0;
        engine::ExplorationParts parts = test::fakeParts();
        test::setGpus(parts, {"GPU-1"});
        parts.readingsOf = [&](const std::string& /*uuid*/) {
            answer.acquire();
            const bool isElsewhere = QThread::currentThread() != qApp->thread();
            return device::DeviceReadings{.temperatureCelsius = isElsewhere ? ++reads : 0};
        };
        const engine::RunDevices devices({}, {.workerCommand = QStringLiteral("worker")}, parts);
        engine::BackgroundThread thread;
        std::vector<int> seen;
        const auto read = [&] {
            devices.readTelemetry(thread, {61}, [&](const std::vector<Telemetry>& telemetry) {
                seen.push_back(telemetry.front().temperatureCelsius.value_or(0));
            });
        };
        read();
        // No second reading starts before the driver has answered the first.
        read();
        answer.release(2);
        TRY_COMPARE(seen, std::vector{1});
        read();
        TRY_COMPARE(seen, (std::vector{1, 2}));
        const test::NoThreads none;
        engine::BackgroundThread noThread;
        devices.readTelemetry(noThread, {61}, [](const std::vector<Telemetry>&) { QFAIL("It was read."); });
        QVERIFY(!noThread.isBusy());
    }

    void returnsTheThrottle_data()
    {
        rows<std::uint64_t, Throttle>({{"none", {0x1, Throttle::None}},
                                       {"its own limit", {0x4, Throttle::Power}},
                                       {"too hot", {0x24, Throttle::Heat}},
                                       {"the hardware", {0x8, Throttle::Hardware}},
                                       {"the power supply", {0x80, Throttle::Hardware}}});
    }
    void returnsTheThrottle()
    {
        const auto& [reasons, throttle] = row<std::uint64_t, Throttle>();
        QCOMPARE(shown({.throttle = device::throttleOf(reasons)}, 0).throttle, throttle);
    }

    void distinguishesTheWorkerFromOthers()
    {
        const std::int64_t own = qApp->applicationPid();
        const std::vector<device::DeviceProcess> both{{.pid = own, .name = "worker", .bytes = 100},
                                                      {.pid = 1, .name = "trainer", .bytes = 30}};
        const Telemetry withOther = shown({.usedBytes = 200, .processes = both}, own);
        QCOMPARE(withOther.processes->size(), 1U);
        QCOMPARE(withOther.processes->front().name, std::string("trainer"));
        QCOMPARE(withOther.otherBytes, 30);
        QCOMPARE(withOther.usedBytes, 200);
        // In a pause there is no worker, so all processes are others.
        QCOMPARE(shown({.processes = both}, 0).otherBytes, 130);
        // The memory may be unknown. If no process has the worker's id, the ids may be those of another
        // container, in which any of the processes may be the worker.
        QVERIFY(!shown({.processes = {{{.pid = 1}}}}, 0).otherBytes);
        QVERIFY(!shown({.processes = both}, 3).processes);
        QVERIFY(shown({.processes = {std::vector<device::DeviceProcess>()}}, 3).processes->empty());
    }

    void readsTheCpuOnlyOnThisComputer()
    {
        for (const bool isBehindLauncher : {false, true}) {
            engine::ExplorationParts parts = test::fakeParts();
            parts.processorReadings = [] {
                return [](const std::set<std::int64_t>& own) {
                    return device::DeviceReadings{.processors = 2,
                                                  .otherProcessors = static_cast<double>(own.count(4711))};
                };
            };
            engine::ExplorationOptions options{.workerCommand = QStringLiteral("worker")};
            if (isBehindLauncher)
                options.places = {QStringLiteral("ssh host")};
            const Telemetry telemetry = engine::RunDevices({}, options, parts).telemetry({4711}).front();
            QCOMPARE(telemetry.otherProcessors.has_value(), !isBehindLauncher);
            QCOMPARE(telemetry.otherProcessors.value_or(1.0), 1.0);
        }
    }
};

BATCHPEAK_TEST(DeviceTelemetryTest)
#include "tst_device_telemetry.moc"
