// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/processor.h"
#include "fake_root.h"
#include "support/test_main.h"

#include <QTest>

using batchpeak::device::LocalDevice;
using Files = QMap<QString, QByteArray>;

class ProcessorTest : public QObject
{
    Q_OBJECT

private slots:
    void keepsToTheTightestLimit_data()
    {
        QTest::addColumn<Files>("files");
        QTest::addColumn<qint64>("total");
        QTest::addColumn<qint64>("free");
        const Files computer{{QStringLiteral("proc/cpuinfo"), "processor\t: 0\nmodel name\t: Fake CPU\n"},
                             {QStringLiteral("proc/meminfo"),
                              "MemTotal:        1000 kB\nMemFree: 1 kB\nMemAvailable:     800 kB\n"}};
        const auto with = [&](Files more) {
            more.insert(computer);
            return more;
        };
        const auto key = [](const char* path) { return QString::fromUtf8(path); };
        QTest::newRow("no control group") << computer << qint64{1024000} << qint64{819200};
        QTest::newRow("version 2, no limit")
            << with({{key("proc/self/cgroup"), "0::/\n"}, {key("sys/fs/cgroup/memory.max"), "max\n"}})
            << qint64{1024000} << qint64{819200};
        QTest::newRow("version 2, file cache counts as free")
            << with({{key("proc/self/cgroup"), "0::/box\n"},
                     {key("sys/fs/cgroup/box/memory.max"), "500000\n"},
                     {key("sys/fs/cgroup/box/memory.current"), "300000\n"},
                     {key("sys/fs/cgroup/box/memory.stat"), "anon 1\ninactive_file 100000\n"}})
            << qint64{500000} << qint64{300000};
        QTest::newRow("version 2, limit of a group above")
            << with({{key("proc/self/cgroup"), "0::/out/in\n"},
                     {key("sys/fs/cgroup/out/memory.max"), "400000\n"},
                     {key("sys/fs/cgroup/out/in/memory.max"), "max\n"}})
            << qint64{400000} << qint64{400000};
        QTest::newRow("version 1") << with({{key("proc/self/cgroup"), "4:memory:/docker/x\n0::/\n"},
                                            {key("sys/fs/cgroup/memory/memory.limit_in_bytes"), "600000\n"},
                                            {key("sys/fs/cgroup/memory/memory.usage_in_bytes"), "200000\n"}})
                                   << qint64{600000} << qint64{400000};
        QTest::newRow("version 1, no limit")
            << with({{key("proc/self/cgroup"), "4:memory:/\n"},
                     {key("sys/fs/cgroup/memory/memory.limit_in_bytes"), "9223372036854771712\n"},
                     {key("sys/fs/cgroup/memory/memory.usage_in_bytes"), "200000\n"}})
            << qint64{1024000} << qint64{819200};
    }
    void keepsToTheTightestLimit()
    {
        QFETCH(Files, files);
        QFETCH(qint64, total);
        QFETCH(qint64, free);
        const batchpeak::test::FakeRoot root;
        for (auto file = files.cbegin(); file != files.cend(); ++file)
            QVERIFY(root.write(file.key(), file.value()));
        const LocalDevice device = batchpeak::device::processor(root.path());
        QCOMPARE(device.id(), "cpu");
        QCOMPARE(device.name, "Fake CPU");
        QCOMPARE(device.totalBytes, total);
        QCOMPARE(device.freeBytes, free);
    }

    void describesThisComputer()
    {
        const LocalDevice device = batchpeak::device::processor();
        QVERIFY(device.totalBytes > 0);
        QVERIFY(device.freeBytes > 0 && device.freeBytes <= device.totalBytes);
        QCOMPARE(batchpeak::device::localDevices().back().id(), "cpu");
    }
};

BATCHPEAK_TEST(ProcessorTest)
#include "tst_processor.moc"
