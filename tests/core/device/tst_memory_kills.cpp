// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/memory_kills.h"
#include "fake_root.h"
#include "support/test_main.h"

#include <QMap>
#include <QTest>

using Files = QMap<QString, QByteArray>;

class MemoryKillsTest : public QObject
{
    Q_OBJECT

private slots:
    void countsThoseOfTheNearestGroup_data()
    {
        QTest::addColumn<Files>("files");
        QTest::addColumn<qint64>("kills");
        const auto key = [](const char* path) { return QString::fromUtf8(path); };
        const Files computer{{key("proc/vmstat"), "nr_free_pages 12\noom_kill 7\nswap_ra 1\n"}};
        const auto with = [&](Files more) {
            more.insert(computer);
            return more;
        };
        QTest::newRow("nothing counts") << Files() << qint64{0};
        QTest::newRow("the whole computer") << computer << qint64{7};
        QTest::newRow("version 2") << with({{key("sys/fs/cgroup/cgroup.controllers"), "memory\n"},
                                            {key("proc/self/cgroup"), "0::/box\n"},
                                            {key("sys/fs/cgroup/box/memory.events"),
                                             "low 0\nmax 9\noom 3\noom_kill 2\n"}})
                                   << qint64{2};
        QTest::newRow("version 2, container that sees itself as the root")
            << with({{key("sys/fs/cgroup/cgroup.controllers"), "memory\n"},
                     {key("proc/self/cgroup"), "0::/docker/x\n"},
                     {key("sys/fs/cgroup/memory.events"), "oom_kill 4\n"}})
            << qint64{4};
        QTest::newRow("version 1") << with({{key("proc/self/cgroup"), "3:memory:/m\n"},
                                            {key("sys/fs/cgroup/memory/m/memory.oom_control"),
                                             "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n"},
                                            {key("sys/fs/cgroup/memory/memory.oom_control"), "oom_kill 0\n"}})
                                   << qint64{5};
        QTest::newRow("a group that does not count")
            << with({{key("sys/fs/cgroup/cgroup.controllers"), "memory\n"},
                     {key("proc/self/cgroup"), "0::/\n"}})
            << qint64{7};
    }
    void countsThoseOfTheNearestGroup()
    {
        QFETCH(Files, files);
        QFETCH(qint64, kills);
        const batchpeak::test::FakeRoot root;
        for (auto file = files.cbegin(); file != files.cend(); ++file)
            QVERIFY(root.write(file.key(), file.value()));
        QCOMPARE(batchpeak::device::memoryKills(root.path()), kills);
    }
};

BATCHPEAK_TEST(MemoryKillsTest)
#include "tst_memory_kills.moc"
