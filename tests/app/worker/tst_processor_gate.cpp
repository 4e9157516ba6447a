// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_root.h"
#include "scripted_clock.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "worker/processor_gate.h"

#include <QTest>

using namespace batchpeak::worker;

namespace {

/// A computer with two processors that are equally busy. Until the first pass(), its kernel reports no load.
struct TwoProcessors
{
    /// \param own  processor time of the trial in that time [s]
    /// \param busy  processor time of all programs together [s]
    bool pass(double seconds, double own, double busy)
    {
        clock.wall += seconds;
        clock.use.processorSeconds += own;
        busySeconds += busy;
        // /proc/stat counts hundredths of a second.
        const QByteArray half = QByteArray::number(qRound(50 * busySeconds));
        return isWritten &&
               root.write(QStringLiteral("proc/stat"),
                          "cpu0 " + half + " 0 0 900000 0 0 0 0\ncpu1 " + half + " 0 0 900000 0 0 0 0\n");
    }

    const batchpeak::test::FakeRoot root;
    ScriptedClock clock;
    double busySeconds = 500.0;
    bool isWritten = root.write(QStringLiteral("proc/self/status"), "Cpus_allowed_list:\t0-1\n");
};

} // namespace

class ProcessorGateTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsTimeThatOtherProgramsTook_data()
    {
        const double unknown = -1.0;
        rows<int, double, double, double, Text>(
            {{"alone", {2, 10.0, 20.0, 20.0, ""}},
             {"little use by others", {2, 10.0, 18.5, 20.0, ""}},
             {"another program", {2, 10.0, 12.0, 20.0, "other programs used 0.8 of 2 processors"}},
             {"its threads wait for each other", {2, 10.0, 12.0, 12.3, ""}},
             {"the other program took what was left", {1, 10.0, 9.9, 19.9, ""}},
             {"two other programs", {1, 10.0, 5.0, 20.0, "other programs used 1.5 of 2 processors"}},
             {"too short for the ticks", {2, 0.02, 0.02, 0.04, ""}},
             {"short, and crowded", {2, 0.1, 0.06, 0.2, "other programs used 1.4 of 2 processors"}},
             {"no load reported, enough time", {2, 10.0, 18.1, unknown, ""}},
             {"no load reported, too little time",
              {2, 10.0, 14.2, unknown, "71 % of the processor was given to the trial"}},
             {"no time at all", {2, 0.0, 0.0, 0.0, ""}}});
    }
    void reportsTimeThatOtherProgramsTook()
    {
        const auto& [threads, seconds, own, busy, disturbance] = row<int, double, double, double, Text>();
        const bool reportsLoad = busy >= 0.0;
        TwoProcessors computer;
        computer.clock.use.processorSeconds = 33.0;
        if (reportsLoad)
            QVERIFY(computer.pass(0.0, 0.0, 0.0));
        ProcessorGate gate(threads, computer.clock, ProcessorGate::Work::Steps, computer.root.path());
        gate.begin();
        if (reportsLoad) {
            QVERIFY(computer.pass(seconds, own, busy));
        } else {
            computer.clock.wall += seconds;
            computer.clock.use.processorSeconds += own;
        }
        GateReport report;
        gate.end(5, report);
        QCOMPARE(report.disturbances,
                 disturbance.isEmpty() ? std::vector<std::string>{} : std::vector{disturbance.toStdString()});
        QCOMPARE(report.readings.processorShare.has_value(), seconds > 0.0);
        if (seconds > 0.0)
            QCOMPARE(*report.readings.processorShare, std::min(1.0, own / (threads * seconds)));
        QCOMPARE(report.readings.foreignProcessors.has_value(), reportsLoad && seconds > 0.0);
        if (reportsLoad && seconds > 0.0)
            QCOMPARE(qRound(100 * *report.readings.foreignProcessors), qRound(100 * (busy - own) / seconds));
    }

    void reportsPageFaults_data()
    {
        const auto add = rows<qint64, qint64, Text>();
        add("none", {0, 0, ""});
        add("some", {9000, 0, ""});
        // A step of 8 samples that returns its memory to the kernel has this many page faults in 0.29 s.
        add("as many as a step takes", {10 * 38148, 0, ""});
        add("one from the disk", {0, 1, ""});
        add("more than the typical step time ignores", {0, 2, "2 pages of memory were read from a disk"});
    }
    void reportsPageFaults()
    {
        const auto& [minor, major, disturbance] = row<qint64, qint64, Text>();
        const batchpeak::test::FakeRoot root;
        ScriptedClock clock;
        clock.use = {.minorPageFaults = 777, .majorPageFaults = 7};
        ProcessorGate gate(1, clock, ProcessorGate::Work::Steps, root.path());
        gate.begin();
        clock.wall += 2.9;
        clock.use = {.processorSeconds = 2.9, .minorPageFaults = 777 + minor, .majorPageFaults = 7 + major};
        GateReport report;
        gate.end(10, report);
        QCOMPARE(report.disturbances,
                 disturbance.isEmpty() ? std::vector<std::string>{} : std::vector{disturbance.toStdString()});
        QCOMPARE(*report.readings.minorPageFaultsPerStep, static_cast<double>(minor) / 10);
        QCOMPARE(*report.readings.majorPageFaultsPerStep, static_cast<double>(major) / 10);
    }

    void countsALowerClockAsContention_data()
    {
        rows<double, double, double>({{"even", {50e-6, 0.0, 0.0}},
                                      {"as even as clocks are", {51e-6, 0.0, 0.0}},
                                      {"three quarters", {50e-6 / 0.75, 0.0, 0.25}},
                                      {"three quarters, half of it taken", {50e-6 / 0.75, 0.5, 0.625}}});
    }
    /// The first of two visits runs at the highest clock, and the contention of the second one is checked.
    void countsALowerClockAsContention()
    {
        const auto& [probe, taken, contention] = row<double, double, double>();
        TwoProcessors computer;
        QVERIFY(computer.pass(0.0, 0.0, 0.0));
        ProcessorGate gate(2, computer.clock, ProcessorGate::Work::Steps, computer.root.path());
        gate.begin();
        QVERIFY(computer.pass(10.0, 20.0, 20.0));
        gate.pause();
        QCOMPARE(*gate.contention(), 0.0);
        computer.clock.probe = probe;
        gate.resume();
        QVERIFY(computer.pass(10.0, 20.0 * (1.0 - taken), 20.0));
        gate.pause();
        QCOMPARE(qRound(1000 * *gate.contention()), qRound(1000 * contention));
        GateReport report;
        gate.end(8, report);
        // Lost processor time and the lower clock are each averaged over both visits.
        const double slowed = contention > 0.0 ? 0.125 : 0.0;
        QCOMPARE(qRound(1000 * *report.readings.contention),
                 qRound(1000 * (1.0 - (1.0 - taken / 2.0) * (1.0 - slowed))));
    }

    void reportsNoContentionOfLaunches()
    {
        TwoProcessors computer;
        QVERIFY(computer.pass(0.0, 0.0, 0.0));
        ProcessorGate gate(1, computer.clock, ProcessorGate::Work::Launches, computer.root.path());
        gate.begin();
        QVERIFY(computer.pass(10.0, 5.0, 20.0));
        gate.pause();
        QVERIFY(!gate.contention());
        GateReport report;
        gate.end(5, report);
        QVERIFY(!report.readings.contention);
        QVERIFY(report.readings.foreignProcessors.has_value());
    }

    // In each pause, another program uses as much processor time as this one, and almost all page faults
    // occur.
    void ignoresPauses()
    {
        TwoProcessors computer;
        const auto pass = [&](double own, double foreign, qint64 pages) {
            computer.clock.use.minorPageFaults += pages;
            return computer.pass(1.0, own, own + foreign);
        };
        QVERIFY(pass(0.0, 0.0, 0));
        ProcessorGate gate(2, computer.clock, ProcessorGate::Work::Steps, computer.root.path());
        gate.begin();
        gate.pause();
        for (int visit = 0; visit < 4; ++visit) {
            QVERIFY(pass(1.0, 1.0, 300'000));
            gate.resume();
            QVERIFY(pass(2.0, 0.0, 100));
            gate.pause();
        }
        GateReport report;
        gate.end(8, report);
        QCOMPARE(report.disturbances, std::vector<std::string>{});
        QCOMPARE(*report.readings.processorShare, 1.0);
        QCOMPARE(qRound(100 * *report.readings.foreignProcessors), 0);
        QCOMPARE(*report.readings.minorPageFaultsPerStep, 50.0);
    }

    void countsDisturbancesOfAllVisits()
    {
        TwoProcessors computer;
        QVERIFY(computer.pass(0.0, 0.0, 0.0));
        ProcessorGate gate(2, computer.clock, ProcessorGate::Work::Steps, computer.root.path());
        gate.begin();
        for (int visit = 1; visit <= 2; ++visit) {
            QVERIFY(computer.pass(1.0, 1.2, 2.0));
            gate.pause();
            gate.resume();
        }
        GateReport report;
        gate.end(2, report);
        QCOMPARE(report.disturbances, std::vector<std::string>{"other programs used 0.8 of 2 processors"});
    }

    void readsThisProcess()
    {
        const SystemClock clock;
        ProcessorGate gate(1, clock);
        gate.begin();
        volatile double sum = 0.0;
        for (int i = 0; i < 10'000'000; ++i)
            sum = sum + i;
        GateReport report;
        gate.end(1, report);
        QVERIFY(*report.readings.processorShare > 0.0 && *report.readings.processorShare <= 1.0);
        QVERIFY(*report.readings.minorPageFaultsPerStep >= 0.0);
    }
};

BATCHPEAK_TEST(ProcessorGateTest)
#include "tst_processor_gate.moc"
