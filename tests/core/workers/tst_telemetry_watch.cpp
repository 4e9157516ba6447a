// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/fake_parts.h"
#include "support/no_threads.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/run_devices.h"
#include "workers/telemetry_watch.h"

#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <atomic>
#include <chrono>
#include <memory>
#include <semaphore>

using namespace batchpeak;
using engine::Telemetry;
using engine::TelemetryWatch;
using engine::Throttle;

namespace {

/// What is shown of a GPU's readings beside a worker.
Telemetry shown(const device::DeviceReadings& readings, std::int64_t worker)
{
    engine::ExplorationParts parts = test::fakeParts();
    test::setGpus(parts, {"GPU-1"});
    parts.readingsOf = [readings](const std::string& /*uuid*/) { return readings; };
    const engine::RunDevices devices({}, {.workerCommand = QStringLiteral("worker")}, parts);
    return devices.telemetry({worker}).front();
}

} // namespace

/// What the devices' strips show, and that nobody waits for it.
class TelemetryWatchTest : public QObject
{
    Q_OBJECT

private slots:
    void readsOnAThreadOfItsOwn()
    {
        std::binary_semaphore answer(0);
        std::atomic<int> reads = 0;
        TelemetryWatch watch([&](const std::vector<std::int64_t>& workers) {
            ++reads;
            answer.acquire();
            const bool isElsewhere = QThread::currentThread() != qApp->thread();
            return TelemetryWatch::Readings{
                {.temperatureCelsius = isElsewhere ? static_cast<int>(workers.front()) : 0}};
        });
        std::vector<int> seen;
        connect(&watch, &TelemetryWatch::taken, this, [&](const TelemetryWatch::Readings& readings) {
            QCOMPARE(QThread::currentThread(), qApp->thread());
            seen.push_back(readings.front().temperatureCelsius.value_or(0));
        });
        watch.look({61});
        TRY_COMPARE(reads.load(), 1);
        // A driver that does not answer is not asked a second time.
        watch.look({62});
        answer.release();
        TRY_COMPARE(seen, std::vector<int>{61});
        answer.release();
        watch.look({63});
        TRY_COMPARE(seen, (std::vector<int>{61, 63}));
        QCOMPARE(reads.load(), 2);
    }

    void endsWithoutADriverThatHoldsIt()
    {
        // It outlives this function where the thread does.
        const auto answer = std::make_shared<std::binary_semaphore>(0);
        const auto reads = std::make_shared<std::atomic<int>>(0);
        auto watch = std::make_unique<TelemetryWatch>(
            [=](const std::vector<std::int64_t>& /*workers*/) {
                ++*reads;
                answer->acquire();
                ++*reads;
                return TelemetryWatch::Readings(1);
            },
            nullptr, std::chrono::milliseconds(20));
        watch->look({61});
        TRY_COMPARE(reads->load(), 1);
        watch.reset();
        QCOMPARE(reads->load(), 1);
        answer->release();
        TRY_COMPARE(reads->load(), 2);
    }

    void readsNothingWithoutAThread()
    {
        const test::NoThreads none;
        TelemetryWatch watch([](const std::vector<std::int64_t>& workers) {
            return TelemetryWatch::Readings(workers.size());
        });
        QSignalSpy taken(&watch, &TelemetryWatch::taken);
        QVERIFY(!watch.hasThread());
        watch.look({61});
        QCoreApplication::processEvents();
        QCOMPARE(taken.count(), 0);
    }

    void namesTheThrottle_data()
    {
        rows<std::uint64_t, Throttle>({{"none", {0x1, Throttle::None}},
                                       {"its own limit", {0x4, Throttle::Power}},
                                       {"too hot", {0x24, Throttle::Heat}},
                                       {"the hardware", {0x8, Throttle::Hardware}},
                                       {"the power supply", {0x80, Throttle::Hardware}}});
    }
    void namesTheThrottle()
    {
        const auto& [reasons, throttle] = row<std::uint64_t, Throttle>();
        QCOMPARE(shown({.clockReasons = reasons}, 0).throttle, throttle);
    }

    void tellsTheWorkerFromOthers()
    {
        const std::int64_t own = qApp->applicationPid();
        const std::vector<device::DeviceProcess> both{{.pid = own, .name = "worker", .bytes = 100},
                                                      {.pid = 1, .name = "trainer", .bytes = 30}};
        const Telemetry beside = shown({.usedBytes = 200, .processes = both}, own);
        QCOMPARE(beside.otherProcesses->size(), 1U);
        QCOMPARE(beside.otherProcesses->front().name, QStringLiteral("trainer"));
        QCOMPARE(beside.heldByOthersBytes, 30);
        QCOMPARE(beside.usedBytes, 200);
        // In a pause all are others'.
        QCOMPARE(shown({.processes = both}, 0).heldByOthersBytes, 130);
        // Of unknown memory, and as numbers of another container, in which the worker may be any of them.
        QVERIFY(!shown({.processes = {{{.pid = 1}}}}, 0).heldByOthersBytes);
        QVERIFY(!shown({.processes = both}, 3).otherProcesses);
        QVERIFY(shown({.processes = {std::vector<device::DeviceProcess>()}}, 3).otherProcesses->empty());
    }

    void readsTheProcessorHereAlone()
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
                options.launcher = QStringLiteral("ssh host");
            const Telemetry telemetry = engine::RunDevices({}, options, parts).telemetry({4711}).front();
            QCOMPARE(telemetry.otherProcessors.has_value(), !isBehindLauncher);
            QCOMPARE(telemetry.otherProcessors.value_or(1.0), 1.0);
        }
    }
};

BATCHPEAK_TEST(TelemetryWatchTest)
#include "tst_telemetry_watch.moc"
