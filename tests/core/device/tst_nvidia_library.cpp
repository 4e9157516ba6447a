// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/host_memory.h"
#include "device/nvidia_library.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

using batchpeak::device::hostMemory;
using batchpeak::device::NvidiaLibrary;

class NvidiaLibraryTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup()
    {
        for (const char* variable :
             {"FAILS", "POWER", "POWER_LIMIT", "ENERGY", "REASONS", "ERRORS", "PROCESSES", "SLICES", "XID"})
            qunsetenv(QByteArray("FAKE_NVML_").append(variable));
    }

    void listsDevices()
    {
        const NvidiaLibrary nvml(BATCHPEAK_FAKE_NVML);
        QVERIFY2(nvml.problem().empty(), nvml.problem().c_str());
        const auto devices = nvml.devices();
        QCOMPARE(devices.size(), 2U);
        QCOMPARE(devices[0].id(), "cuda:0");
        QCOMPARE(devices[0].name, "Fake H200");
        QCOMPARE(devices[0].uuid, "GPU-first");
        QCOMPARE(devices[0].totalBytes, 1000);
        QCOMPARE(devices[0].freeBytes, 600);
        QCOMPARE(devices[0].driver, "550.1");
        QVERIFY(!devices[0].sharesHostMemory);
        QCOMPARE(devices[1].id(), "cuda:1");
        // It reports no memory of its own, like a GB10.
        QVERIFY(devices[1].sharesHostMemory);
        QCOMPARE(devices[1].totalBytes, hostMemory().total);
        QVERIFY(devices[1].freeBytes > 0 && devices[1].freeBytes < devices[1].totalBytes);
    }

    void listsSlicesInsteadOfTheirGpu()
    {
        qputenv("FAKE_NVML_SLICES", "2");
        const NvidiaLibrary nvml(BATCHPEAK_FAKE_NVML);
        const auto devices = nvml.devices();
        QCOMPARE(devices.size(), 3U);
        QCOMPARE(devices[0].uuid, "MIG-one");
        QCOMPARE(devices[0].name, "Fake H200 MIG 1g.18gb");
        QCOMPARE(devices[0].totalBytes, 100);
        QCOMPARE(devices[1].uuid, "MIG-two");
        QCOMPARE(devices[2].id(), "cuda:2");
        QCOMPARE(devices[2].uuid, "GPU-second");
        QCOMPARE(nvml.readings("MIG-two").clockMegahertz, 1755);
        QVERIFY(!nvml.readings("MIG-two").utilizationPercent);
        // The energy of a slice is unknown: the counter includes its neighbors on the GPU.
        qputenv("FAKE_NVML_ENERGY", "9000000000250");
        QVERIFY(!nvml.condition("MIG-two").energyJoules);
    }

    void reportsOnlyAvailableReadings()
    {
        const NvidiaLibrary nvml(BATCHPEAK_FAKE_NVML);
        const auto first = nvml.readings("GPU-first");
        QCOMPARE(first.utilizationPercent, 87);
        QCOMPARE(first.temperatureCelsius, 61);
        QCOMPARE(first.clockMegahertz, 1755);
        QCOMPARE(first.maxClockMegahertz, 1980);
        const auto refusing = nvml.readings("GPU-second");
        QVERIFY(!refusing.utilizationPercent && !refusing.temperatureCelsius && !refusing.clockMegahertz);
        QCOMPARE(first.usedBytes, 400);
        QVERIFY(refusing.usedBytes > 0 && refusing.usedBytes < hostMemory().total);
        QVERIFY(!nvml.readings("GPU-unknown").usedBytes);
        QVERIFY(!nvml.readings("GPU-unknown").temperatureCelsius);
    }

    void readsPowerErrorsAndProcesses()
    {
        qputenv("FAKE_NVML_POWER", "612500");
        qputenv("FAKE_NVML_POWER_LIMIT", "700000");
        qputenv("FAKE_NVML_REASONS", "0x20");
        qputenv("FAKE_NVML_ERRORS", "3");
        qputenv("FAKE_NVML_PROCESSES", "4711,12");
        qputenv("FAKE_NVML_XID", "79");
        const NvidiaLibrary nvml(BATCHPEAK_FAKE_NVML);
        const auto first = nvml.readings("GPU-first");
        QCOMPARE(first.powerWatts, 612.5);
        QCOMPARE(first.powerLimitWatts, 700.0);
        QCOMPARE(first.throttle, batchpeak::device::Throttle::Heat);
        QCOMPARE(first.usedBytes, 400);
        QCOMPARE(first.uncorrectedErrors, 3);
        QCOMPARE(first.xid, 79);
        QCOMPARE(first.processes, (std::vector<batchpeak::device::DeviceProcess>{
                                      {.pid = 4711, .name = "trainer", .bytes = 4711},
                                      {.pid = 12, .name = "trainer", .bytes = std::nullopt}}));
        // The error stays, although the driver reports it only once.
        QCOMPARE(nvml.readings("GPU-first").xid, 79);
        const auto refusing = nvml.readings("GPU-second");
        QVERIFY(!refusing.powerWatts && !refusing.powerLimitWatts);
        QVERIFY(!refusing.processes && !refusing.uncorrectedErrors && !refusing.xid);
    }

    void readsItsCondition()
    {
        qputenv("FAKE_NVML_POWER", "612500");
        qputenv("FAKE_NVML_ENERGY", "9000000000250");
        qputenv("FAKE_NVML_REASONS", "0x24");
        qputenv("FAKE_NVML_PROCESSES", "4711,12");
        const NvidiaLibrary nvml(BATCHPEAK_FAKE_NVML);
        const auto first = nvml.condition("GPU-first");
        QCOMPARE(first.clockMegahertz, 1755.0);
        QCOMPARE(first.temperatureCelsius, 61.0);
        QCOMPARE(first.powerWatts, 612.5);
        QCOMPARE(first.energyJoules, 9000000000.25);
        QCOMPARE(first.clockReasons, 0x24ULL);
        QCOMPARE(first.processes, (std::set{12U, 4711U}));
        for (const char* uuid : {"GPU-second", "GPU-unknown"}) {
            const auto refusing = nvml.condition(uuid);
            QVERIFY(!refusing.clockMegahertz && !refusing.temperatureCelsius && !refusing.powerWatts);
            QVERIFY(!refusing.energyJoules && !refusing.processes);
            QCOMPARE(refusing.clockReasons, 0ULL);
        }
    }

    void reportsAnUnusableLibrary_data()
    {
        rows<std::string, std::string>({{"absent", {"/nowhere/libnvidia-ml.so.1", "cannot be loaded"}},
                                        {"another library", {"libc.so.6", "lacks functions"}},
                                        {"no driver", {BATCHPEAK_FAKE_NVML, "Not Supported"}}});
    }
    void reportsAnUnusableLibrary()
    {
        const auto& [library, problem] = row<std::string, std::string>();
        qputenv("FAKE_NVML_FAILS", "1");
        const NvidiaLibrary nvml(library);
        VERIFY_CONTAINS(nvml.problem(), problem);
        QVERIFY(nvml.devices().empty());
        QVERIFY(!nvml.readings("GPU-first").temperatureCelsius);
        QVERIFY(!nvml.condition("GPU-first").energyJoules);
    }
};

BATCHPEAK_TEST(NvidiaLibraryTest)
#include "tst_nvidia_library.moc"
