// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/processor_watch.h"
#include "fake_root.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <unistd.h>

using batchpeak::device::descendsFrom;
using batchpeak::device::DeviceReadings;
using batchpeak::device::ProcessorWatch;
using batchpeak::test::FakeRoot;

namespace {

/// Returns the contents of /proc/stat.
/// \param ticks  busy time of the first processor, in ticks of 10 ms
QByteArray stat(int ticks)
{
    return "cpu0 " + QByteArray::number(ticks) + " 0 0 5000 0 0 0 0 0 0\n" +
           "cpu1 100 0 0 5000 0 0 0 0 0 0\n";
}

/// \param pages  resident memory
QByteArray process(int parent, int userTicks, int systemTicks, int pages)
{
    return "7 (a name) with) S " + QByteArray::number(parent) + " 1 1 0 -1 0 0 0 0 0 " +
           QByteArray::number(userTicks) + ' ' + QByteArray::number(systemTicks) + " 0 0 20 0 1 0 5 99 " +
           QByteArray::number(pages) + " 0\n";
}

void prepare(const FakeRoot& root)
{
    QVERIFY(root.write(QStringLiteral("proc/self/status"), "Cpus_allowed_list:\t0-1\n"));
    QVERIFY(root.write(QStringLiteral("proc/meminfo"), "MemTotal: 1000 kB\nMemAvailable: 400 kB\n"));
    QVERIFY(root.write(QStringLiteral("proc/stat"), stat(1000)));
    QVERIFY(root.write(QStringLiteral("proc/7/stat"), process(1, 100, 50, 10)));
}

} // namespace

class ProcessorWatchTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsTheLoadOfOtherPrograms()
    {
        const FakeRoot root;
        prepare(root);
        ProcessorWatch watch(root.path());
        const DeviceReadings first = watch.look({7}, 10.0);
        QVERIFY(!first.otherProcessors && !first.utilizationPercent && !first.temperatureCelsius);
        QCOMPARE(first.usedBytes, 600 * 1024);
        QCOMPARE(first.otherBytes, 600 * 1024 - 10 * sysconf(_SC_PAGESIZE));

        // The processors were busy for 3 s within 2 s; 1.5 s of that were ours.
        QVERIFY(root.write(QStringLiteral("proc/stat"), stat(1300)));
        QVERIFY(root.write(QStringLiteral("proc/7/stat"), process(1, 200, 100, 10)));
        const DeviceReadings second = watch.look({7}, 12.0);
        QCOMPARE(second.processors, 2);
        QCOMPARE(second.otherProcessors, 0.75);
        QCOMPARE(second.utilizationPercent, 75);
    }

    void waitsAfterAChangeOfWorkers()
    {
        const FakeRoot root;
        prepare(root);
        ProcessorWatch watch(root.path());
        watch.look({}, 10.0);
        QVERIFY(!watch.look({7}, 12.0).otherProcessors);
        QVERIFY(watch.look({7}, 14.0).otherProcessors);
    }

    void readsATemperature_data()
    {
        rows<std::string, std::string>(
            {{"a package",
              {"sys/class/thermal/thermal_zone3/type x86_pkg_temp", "sys/class/thermal/thermal_zone3/temp"}},
             {"a driver's sensor",
              {"sys/class/hwmon/hwmon2/name k10temp", "sys/class/hwmon/hwmon2/temp1_input"}}});
    }
    void readsATemperature()
    {
        const auto& [name, value] = row<std::string, std::string>();
        const QStringList parts = QString::fromStdString(name).split(QLatin1Char(' '));
        const FakeRoot root;
        prepare(root);
        QVERIFY(root.write(QStringLiteral("sys/class/thermal/thermal_zone0/type"), "acpitz\n"));
        QVERIFY(root.write(QStringLiteral("sys/class/thermal/thermal_zone0/temp"), "27000\n"));
        QVERIFY(root.write(parts.first(), parts.last().toUtf8() + '\n'));
        QVERIFY(root.write(QString::fromStdString(value), "61500\n"));
        QCOMPARE(ProcessorWatch(root.path()).look({}, 1.0).temperatureCelsius, 61);
    }

    void returnsNothingWithoutTheFiles()
    {
        const FakeRoot root;
        ProcessorWatch watch(root.path());
        watch.look({7}, 1.0);
        const DeviceReadings readings = watch.look({7}, 2.0);
        QVERIFY(!readings.otherProcessors && !readings.processors && !readings.temperatureCelsius);
    }

    void followsParentProcesses()
    {
        const FakeRoot root;
        QVERIFY(root.write(QStringLiteral("proc/9/stat"), process(8, 0, 0, 0)));
        QVERIFY(root.write(QStringLiteral("proc/8/stat"), process(7, 0, 0, 0)));
        QVERIFY(root.write(QStringLiteral("proc/7/stat"), process(1, 0, 0, 0)));
        for (const int ancestor : {9, 8, 7})
            QVERIFY(descendsFrom(9, ancestor, root.path()));
        QVERIFY(!descendsFrom(9, 6, root.path()));
        QVERIFY(!descendsFrom(5, 7, root.path()));
    }
};

BATCHPEAK_TEST(ProcessorWatchTest)
#include "tst_processor_watch.moc"
