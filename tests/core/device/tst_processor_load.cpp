// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/processor_watch.h"
#include "fake_root.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using batchpeak::device::processorLoad;

namespace {

struct Count
{
    QByteArray allowed, stat;
    int processors;
    double busySeconds;
};

} // namespace

class ProcessorLoadTest : public QObject
{
    Q_OBJECT

private slots:
    void countsTheProcessorsOfThisProcess_data()
    {
        // user nice system idle iowait irq softirq steal guest guest_nice
        const QByteArray four = "cpu  99999 0 0 0 0 0 0 0 0 0\n"
                                "cpu0 100 10 20 5000 700 1 2 3 50 5\n"
                                "cpu1 200 0 0 5000 0 0 0 0 0 0\n"
                                "cpu2 400 0 0 5000 0 0 0 0 0 0\n"
                                "cpu10 800 0 0 5000 0 0 0 0 0 0\n"
                                "intr 5\nctxt 7\n";
        rows<Count>({{"one", {"0", four, 1, 1.36}},
                     {"a range", {"1-2", four, 2, 6.0}},
                     {"ranges", {"0-1,10", four, 3, 11.36}},
                     {"more allowed than there are", {"0-127", four, 4, 15.36}},
                     {"an old kernel", {"0", "cpu0 100 10 20 5000\n", 1, 1.3}},
                     {"none of them", {"64", four, 0, 0.0}},
                     {"no list", {"all", four, 0, 0.0}},
                     {"nothing is counted", {"0", "cpu0 0 0 0 0 0 0\n", 0, 0.0}}});
    }
    void countsTheProcessorsOfThisProcess()
    {
        const auto& [allowed, stat, processors, busySeconds] = row<Count>();
        const batchpeak::test::FakeRoot root;
        QVERIFY(root.write(QStringLiteral("proc/stat"), stat));
        QVERIFY(root.write(QStringLiteral("proc/self/status"),
                           "Name:\ttst\nCpus_allowed:\t7\nCpus_allowed_list:\t" + allowed + "\n"));
        const auto load = processorLoad(root.path());
        QCOMPARE(load.has_value(), processors > 0);
        if (!load)
            return;
        QCOMPARE(load->processors, processors);
        // Linux counts in ticks of 10 ms on every platform that we build for.
        QCOMPARE(load->resolutionSeconds, 0.01);
        QCOMPARE(load->busySeconds, busySeconds);
    }

    void returnsNothingWithoutTheFiles()
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
