// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/nvidia_library.h"
#include "scripted_clock.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "worker/nvidia_gate.h"

#include <QTest>

#include <unistd.h>

#include <optional>

using namespace batchpeak::worker;
using batchpeak::device::NvidiaLibrary;

namespace {

/// Readings of the management library at one moment, in its units; it refuses a reading that is empty.
struct Moment
{
    QByteArray clock = "1980";
    QByteArray reasons = "0";
    QByteArray processes = "10";
    QByteArray energy;
    QByteArray power;
    QByteArray utilization;
};

void set(const char* variable, const QByteArray& value)
{
    value.isEmpty() ? qunsetenv(variable) : qputenv(variable, value);
}

void show(const Moment& moment)
{
    set("FAKE_NVML_CLOCK", moment.clock);
    set("FAKE_NVML_REASONS", moment.reasons);
    set("FAKE_NVML_PROCESSES", moment.processes);
    set("FAKE_NVML_ENERGY", moment.energy);
    set("FAKE_NVML_POWER", moment.power);
    set("FAKE_NVML_UTILIZATION", moment.utilization);
}

constexpr double unreported = -1.0;

/// Shares are compared in whole percent.
int percentOf(std::optional<double> share)
{
    return qRound(100 * share.value_or(unreported));
}

/// Returns a moment at which this program and others compute.
/// \param others  process ids and their utilization in percent: "22:40,24:15"
Moment sharedMoment(const QByteArray& others)
{
    const QByteArray own = QByteArray::number(getpid());
    return {.processes = "22," + own + ",24",
            .utilization = own + ":60" + (others.isEmpty() ? "" : ",") + others};
}

} // namespace

class NvidiaGateTest : public QObject
{
    Q_OBJECT

    /// Runs a trial that begins at the first moment and looks at each of the others.
    GateReport reportOn(NvidiaGate& gate, ScriptedClock& clock, const std::vector<Moment>& moments,
                        double seconds)
    {
        show(moments.front());
        gate.begin();
        for (std::size_t i = 1; i < moments.size(); ++i) {
            clock.wall += seconds / static_cast<double>(moments.size() - 1);
            show(moments[i]);
            gate.look();
        }
        GateReport report;
        gate.end(5, report);
        return report;
    }

    GateReport reportOn(const std::vector<Moment>& moments, double seconds = 1.0)
    {
        const NvidiaLibrary nvml(BATCHPEAK_FAKE_NVML);
        ScriptedClock clock;
        NvidiaGate gate([&nvml] { return nvml.condition("GPU-first"); }, clock);
        return reportOn(gate, clock, moments, seconds);
    }

private slots:
    void noticesDisturbances_data()
    {
        rows<std::vector<Moment>, Text>({
            {"calm", {{{}, {}, {}}, ""}},
            {"nothing is told", {{{.clock = "1980", .reasons = "", .processes = ""}, {.processes = ""}}, ""}},
            {"the clock falls a little", {{{}, {.clock = "1890"}}, ""}},
            {"the clock falls",
             {{{}, {}, {.clock = "1755"}}, "the clock of the GPU fell from 1980 to 1755 MHz"}},
            {"the clock falls bit by bit",
             {{{}, {.clock = "1900"}, {.clock = "1850"}}, "the clock of the GPU fell from 1980 to 1850 MHz"}},
            {"the clock rises", {{{.clock = "1400"}, {}, {}}, ""}},
            {"a power limit is usual", {{{.reasons = "0x4"}, {.reasons = "0x4"}}, ""}},
            {"the power limit lowers the clock", {{{}, {.clock = "1600", .reasons = "0x4"}}, ""}},
            {"the power limit lowers the clock, then something else",
             {{{}, {.clock = "1700", .reasons = "0x4"}, {.clock = "1400"}},
              "the clock of the GPU fell from 1980 to 1400 MHz"}},
            {"hot at the power limit",
             {{{}, {.clock = "1600", .reasons = "0x24"}}, "the GPU was too hot for its full clock"}},
            {"idle before the trial", {{{.reasons = "0x1"}, {}}, ""}},
            {"hot, as the driver says",
             {{{}, {.reasons = "0x24"}, {}}, "the GPU was too hot for its full clock"}},
            {"hot, as the hardware says",
             {{{}, {.reasons = "0x48"}, {}}, "the GPU was too hot for its full clock"}},
            {"power brake", {{{}, {.reasons = "0x88"}}, "the power supply slowed the GPU down"}},
            {"hardware", {{{}, {.reasons = "0x8"}}, "the hardware slowed the GPU down"}},
            {"another program comes", {{{}, {.processes = "10,22"}}, "another program began to use the GPU"}},
            {"another program comes and goes",
             {{{}, {.processes = "22,10"}, {}}, "another program began to use the GPU"}},
            {"another program was there before", {{{.processes = "10,22"}, {.processes = "10,22"}}, ""}},
            {"another program ends", {{{.processes = "10,22"}, {}}, ""}},
        });
    }
    void noticesDisturbances()
    {
        const auto& [moments, disturbance] = row<std::vector<Moment>, Text>();
        QCOMPARE(reportOn(moments).disturbances,
                 disturbance.isEmpty() ? std::vector<std::string>{} : std::vector{disturbance.toStdString()});
    }

    void notesAClockLoweredByThePowerLimit()
    {
        const Moment limited{.clock = "1600", .reasons = "0x4"};
        QCOMPARE(reportOn({{}, limited, limited}).notes,
                 std::vector<std::string>{"power limit: the clock of the GPU fell from 1980 to 1600 MHz"});
        QVERIFY(reportOn({limited, limited}).notes.empty());
    }

    void reportsANewProgramAsLongAsItRuns()
    {
        const NvidiaLibrary nvml(BATCHPEAK_FAKE_NVML);
        ScriptedClock clock;
        NvidiaGate gate([&nvml] { return nvml.condition("GPU-first"); }, clock);
        const Moment alone;
        const Moment shared{.processes = "10,22"};
        QVERIFY(reportOn(gate, clock, {alone, alone}, 1.0).disturbances.empty());
        QCOMPARE(reportOn(gate, clock, {shared, shared}, 1.0).disturbances.size(), std::size_t{1});
        QVERIFY(reportOn(gate, clock, {alone, alone}, 1.0).disturbances.empty());
    }

    void readsEnergy_data()
    {
        const double nothing = -1.0;
        const Moment before{.energy = "9000000000250"};
        const Moment after{.energy = "9000000612250"};
        rows<std::vector<Moment>, double, double>(
            {{"a second", {std::vector{before, before, after}, 1.0, 612.0}},
             {"too short for its counter", {std::vector{before, after}, 0.3, nothing}},
             {"the counter stood still", {std::vector{before, before}, 1.0, nothing}},
             {"the driver was loaded anew", {std::vector{before, Moment{.energy = "1000"}}, 1.0, nothing}},
             {"not measured", {{{}, {}}, 1.0, nothing}}});
    }
    void readsEnergy()
    {
        const auto& [moments, seconds, joules] = row<std::vector<Moment>, double, double>();
        const auto energy = reportOn(moments, seconds).readings.energyJoules;
        QCOMPARE(energy.has_value(), joules > 0.0);
        if (energy)
            QCOMPARE(*energy, joules);
    }

    void readsGauges()
    {
        const auto readings =
            reportOn({{.clock = "1980", .power = "600000"}, {.clock = "1965", .power = "700000"}}).readings;
        QCOMPARE(readings.clockMegahertz, 1965.0);
        QCOMPARE(readings.meanPowerWatts, 650.0);
        QCOMPARE(readings.temperatureCelsius, 61.0);
        QVERIFY(!reportOn({{}, {}}).readings.meanPowerWatts);
    }

    void reportsContentionByOtherPrograms_data()
    {
        const Moment alone = sharedMoment("");
        Moment idle = alone;
        idle.utilization = "22:40:5";
        Moment refused = alone;
        refused.utilization = "";
        rows<std::vector<Moment>, double>({
            {"alone", {{alone, alone}, 0.0}},
            {"another program", {{alone, sharedMoment("22:40")}, 0.4}},
            {"several", {{alone, sharedMoment("22:40,24:15,23:5")}, 0.6}},
            {"more than there is", {{alone, sharedMoment("22:70,24:70")}, 1.0}},
            {"two looks", {{alone, sharedMoment("22:20"), sharedMoment("22:40")}, 0.3}},
            {"before the steps", {{sharedMoment("22:40"), alone}, 0.0}},
            {"a while ago", {{alone, sharedMoment("22:40:5")}, 0.0}},
            {"nothing fresh is told", {{alone, idle}, unreported}},
            {"a sample that was never written", {{alone, sharedMoment("24:3272092,22:40")}, 0.4}},
            {"refused", {{alone, refused}, unreported}},
            {"refused once", {{alone, refused, sharedMoment("22:40")}, 0.4}},
            {"numbers of a host", {{{}, {.processes = "10,22", .utilization = "10:50,22:40"}}, unreported}},
            {"no processes reported", {{{}, {.processes = "", .utilization = "22:40"}}, unreported}},
        });
    }
    void reportsContentionByOtherPrograms()
    {
        const auto& [moments, share] = row<std::vector<Moment>, double>();
        QCOMPARE(percentOf(reportOn(moments).readings.contention), percentOf(share));
    }

    void reportsContentionOfEachVisit()
    {
        const NvidiaLibrary nvml(BATCHPEAK_FAKE_NVML);
        const ScriptedClock clock;
        NvidiaGate gate([&nvml] { return nvml.condition("GPU-first"); }, clock);
        show(sharedMoment(""));
        gate.begin();
        gate.pause();
        for (const int percent : {20, 40}) {
            show(sharedMoment("22:100"));
            gate.resume();
            QVERIFY(!gate.contention());
            show(sharedMoment("22:" + QByteArray::number(percent)));
            gate.look();
            gate.pause();
            QCOMPARE(percentOf(gate.contention()), percent);
        }
        GateReport report;
        gate.end(2, report);
        QCOMPARE(percentOf(report.readings.contention), 30);
        show({});
        gate.begin();
        gate.pause();
        QVERIFY(!gate.contention());
    }
};

BATCHPEAK_TEST(NvidiaGateTest)
#include "tst_nvidia_gate.moc"
