// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/nvidia_library.h"
#include "worker/nvidia_gate.h"

#include <QTest>

#include <string>

using namespace batchpeak;

/// Tests properties of the gates that only a GPU can prove: that its driver reports what they query, in the
/// units that they assume.
class GpuGatesTest : public QObject
{
    Q_OBJECT

    device::NvidiaLibrary m_nvml;
    std::string m_uuid;

private slots:
    void initTestCase()
    {
        const auto devices = m_nvml.devices();
        if (devices.empty())
            QSKIP(m_nvml.problem().empty() ? "This computer has no NVIDIA GPU." : m_nvml.problem().c_str());
        m_uuid = devices.front().uuid;
    }

    void readsItsCondition()
    {
        const device::NvidiaCondition condition = m_nvml.condition(m_uuid);
        QVERIFY(condition.clockMegahertz && *condition.clockMegahertz >= 100);
        QVERIFY(condition.temperatureCelsius && *condition.temperatureCelsius >= 10 &&
                *condition.temperatureCelsius <= 110);
        QVERIFY(condition.powerWatts && *condition.powerWatts >= 1 && *condition.powerWatts <= 2000);
        // Containers and sandboxes hide processes.
        if (!condition.processes)
            qInfo("This computer does not tell which processes use the GPU: neighbors are not noticed.");
    }

    void countsEnergy()
    {
        const worker::SystemClock clock;
        worker::NvidiaGate gate([this] { return m_nvml.condition(m_uuid); }, clock);
        gate.begin();
        QTest::qWait(1000);
        gate.look();
        worker::GateReport report;
        gate.end(1, report);
        if (!report.readings.energyJoules)
            QSKIP("This GPU does not count energy.");
        // Idle GPUs draw some watts, busy ones less than two thousand. The energy has no upper bound, since
        // the wait may take longer than requested.
        QVERIFY(*report.readings.energyJoules >= 1);
        QVERIFY(*report.readings.meanPowerWatts >= 1 && *report.readings.meanPowerWatts <= 2000);
    }
};

QTEST_GUILESS_MAIN(GpuGatesTest)
#include "tst_gpu_gates.moc"
