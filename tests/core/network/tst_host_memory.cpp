// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/control_group.h"
#include "network/host_memory.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace batchpeak::network;

using Files = std::map<QString, QByteArray>;

namespace {

const QByteArray meminfo = "MemTotal:       8000000 kB\nMemFree:  10 kB\nMemAvailable:   4000000 kB\n";
constexpr qint64 total = qint64{8000000} * 1024;
constexpr qint64 available = qint64{4000000} * 1024;

Files unified(const QByteArray& group, const Files& more)
{
    Files files{{QStringLiteral("proc/meminfo"), meminfo},
                {QStringLiteral("proc/self/cgroup"), "0::" + group + "\n"},
                {QStringLiteral("sys/fs/cgroup/cgroup.controllers"), "cpu memory\n"}};
    files.insert(more.begin(), more.end());
    return files;
}

} // namespace

class HostMemoryTest : public QObject
{
    Q_OBJECT

private slots:
    void takesTheTightestLimit_data()
    {
        QTest::addColumn<Files>("files");
        QTest::addColumn<qint64>("expectedTotal");
        QTest::addColumn<qint64>("expectedAvailable");
        QTest::addColumn<double>("processors");
        QTest::newRow("no groups") << Files{{QStringLiteral("proc/meminfo"), meminfo}} << total << available
                                   << 0.0;
        QTest::newRow("version 2, no limit")
            << unified("/a", {{QStringLiteral("sys/fs/cgroup/a/memory.max"), "max\n"},
                              {QStringLiteral("sys/fs/cgroup/a/memory.current"), "5\n"},
                              {QStringLiteral("sys/fs/cgroup/a/cpu.max"), "max 100000\n"}})
            << total << available << 0.0;
        QTest::newRow("version 2, limit of the group above")
            << unified("/a/b",
                       {{QStringLiteral("sys/fs/cgroup/a/memory.max"), "1000000\n"},
                        {QStringLiteral("sys/fs/cgroup/a/memory.current"), "700000\n"},
                        {QStringLiteral("sys/fs/cgroup/a/memory.stat"), "anon 1\ninactive_file 50000\n"},
                        {QStringLiteral("sys/fs/cgroup/a/b/memory.max"), "2000000\n"},
                        {QStringLiteral("sys/fs/cgroup/a/b/memory.current"), "600000\n"},
                        {QStringLiteral("sys/fs/cgroup/a/b/cpu.max"), "150000 100000\n"},
                        {QStringLiteral("sys/fs/cgroup/a/cpu.max"), "400000 100000\n"}})
            << qint64{1000000} << qint64{350000} << 1.5;
        QTest::newRow("version 2, container that sees itself as the root")
            << unified("/docker/x", {{QStringLiteral("sys/fs/cgroup/memory.max"), "3000000\n"},
                                     {QStringLiteral("sys/fs/cgroup/memory.current"), "1000000\n"}})
            << qint64{3000000} << qint64{2000000} << 0.0;
        QTest::newRow("version 2, more in use than allowed")
            << unified("/", {{QStringLiteral("sys/fs/cgroup/memory.max"), "1000\n"},
                             {QStringLiteral("sys/fs/cgroup/memory.current"), "2000\n"}})
            << qint64{1000} << qint64{0} << 0.0;
        QTest::newRow("version 1")
            << Files{{QStringLiteral("proc/meminfo"), meminfo},
                     {QStringLiteral("proc/self/cgroup"), "4:cpu,cpuacct:/c\n3:memory:/m\n"},
                     {QStringLiteral("sys/fs/cgroup/memory/m/memory.limit_in_bytes"), "5000000\n"},
                     {QStringLiteral("sys/fs/cgroup/memory/m/memory.usage_in_bytes"), "1000000\n"},
                     {QStringLiteral("sys/fs/cgroup/memory/memory.limit_in_bytes"), "9223372036854771712\n"},
                     {QStringLiteral("sys/fs/cgroup/memory/memory.usage_in_bytes"), "1\n"},
                     {QStringLiteral("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us"), "200000\n"},
                     {QStringLiteral("sys/fs/cgroup/cpu/c/cpu.cfs_period_us"), "100000\n"},
                     {QStringLiteral("sys/fs/cgroup/cpu/cpu.cfs_quota_us"), "-1\n"},
                     {QStringLiteral("sys/fs/cgroup/cpu/cpu.cfs_period_us"), "100000\n"}}
            << qint64{5000000} << qint64{4000000} << 2.0;
    }
    void takesTheTightestLimit()
    {
        QFETCH(Files, files);
        QFETCH(qint64, expectedTotal);
        QFETCH(qint64, expectedAvailable);
        QFETCH(double, processors);
        const QTemporaryDir root;
        for (const auto& [path, content] : files) {
            const QString full = root.filePath(path);
            QVERIFY(QDir().mkpath(QFileInfo(full).path()));
            QFile file(full);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(content);
        }
        const HostMemory memory = hostMemory(root.path().toStdString());
        QCOMPARE(memory.total, expectedTotal);
        QCOMPARE(memory.available, expectedAvailable);
        QCOMPARE(batchpeak::device::ControlGroup(root.path().toStdString()).processors().value_or(0),
                 processors);
    }

    void readsThisComputer()
    {
        const HostMemory memory = hostMemory();
        QVERIFY(memory.available > 0);
        QVERIFY(memory.available <= memory.total);
    }

    void leavesRoomBesideTensors()
    {
        constexpr qint64 mebibyte = qint64{1} << 20;
        QCOMPARE(tensorBytesWithin(0), 0);
        QCOMPARE(tensorBytesWithin(200 * mebibyte), 0);
        QCOMPARE(tensorBytesWithin(1300 * mebibyte), 1000 * mebibyte);
    }
};

BATCHPEAK_TEST(HostMemoryTest)
#include "tst_host_memory.moc"
