// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/processor_load.h"
#include "fake_root.h"
#include "support/test_main.h"

#include <QTest>

using batchpeak::device::processorLoad;

class ProcessorLoadTest : public QObject
{
    Q_OBJECT

private slots:
    void countsTheProcessorsOfThisProcess_data()
    {
        QTest::addColumn<QByteArray>("allowed");
        QTest::addColumn<QByteArray>("stat");
        QTest::addColumn<int>("processors");
        QTest::addColumn<double>("busySeconds");
        // user nice system idle iowait irq softirq steal guest guest_nice
        const QByteArray stat = "cpu  99999 0 0 0 0 0 0 0 0 0\n"
                                "cpu0 100 10 20 5000 700 1 2 3 50 5\n"
                                "cpu1 200 0 0 5000 0 0 0 0 0 0\n"
                                "cpu2 400 0 0 5000 0 0 0 0 0 0\n"
                                "cpu10 800 0 0 5000 0 0 0 0 0 0\n"
                                "intr 5\nctxt 7\n";
        QTest::newRow("one") << QByteArray("0") << stat << 1 << 1.36;
        QTest::newRow("a range") << QByteArray("1-2") << stat << 2 << 6.0;
        QTest::newRow("ranges") << QByteArray("0-1,10") << stat << 3 << 11.36;
        QTest::newRow("more allowed than there are") << QByteArray("0-127") << stat << 4 << 15.36;
        QTest::newRow("an old kernel") << QByteArray("0") << QByteArray("cpu0 100 10 20 5000\n") << 1 << 1.3;
        QTest::newRow("none of them") << QByteArray("64") << stat << 0 << 0.0;
        QTest::newRow("no list") << QByteArray("all") << stat << 0 << 0.0;
        QTest::newRow("nothing is counted")
            << QByteArray("0") << QByteArray("cpu0 0 0 0 0 0 0\n") << 0 << 0.0;
    }
    void countsTheProcessorsOfThisProcess()
    {
        QFETCH(QByteArray, allowed);
        QFETCH(QByteArray, stat);
        QFETCH(int, processors);
        QFETCH(double, busySeconds);
        const batchpeak::test::FakeRoot root;
        QVERIFY(root.write(QStringLiteral("proc/stat"), stat));
        QVERIFY(root.write(QStringLiteral("proc/self/status"),
                           "Name:\ttst\nCpus_allowed:\t7\nCpus_allowed_list:\t" + allowed + "\n"));
        const auto load = processorLoad(root.path());
        QCOMPARE(load.has_value(), processors > 0);
        if (!load)
            return;
        QCOMPARE(load->processors, processors);
        // Linux shows ticks of a hundredth of a second on every computer that we build for.
        QCOMPARE(load->resolutionSeconds, 0.01);
        QCOMPARE(load->busySeconds, busySeconds);
    }

    void saysNothingWithoutTheFile()
    {
        const batchpeak::test::FakeRoot root;
        QVERIFY(!processorLoad(root.path()));
    }

    void readsThisComputer()
    {
        const auto load = processorLoad();
        if (!load)
            QSKIP("this kernel does not tell how busy its processors are");
        QVERIFY(load->processors >= 1);
        QVERIFY(load->busySeconds > 0.0);
    }
};

BATCHPEAK_TEST(ProcessorLoadTest)
#include "tst_processor_load.moc"
