// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command.h"
#include "console.h"
#include "device/local_device.h"
#include "words/json_output.h"
#include "words/terminal_text.h"

namespace batchpeak::cli {

namespace {

QString clockText(const device::DeviceReadings& readings)
{
    if (!readings.clockMegahertz)
        return QStringLiteral("-");
    if (!readings.maxClockMegahertz)
        return QStringLiteral("%1 MHz").arg(*readings.clockMegahertz);
    return QStringLiteral("%1 of %2 MHz").arg(*readings.clockMegahertz).arg(*readings.maxClockMegahertz);
}

QStringList rowFor(const device::LocalDevice& device)
{
    const auto readings = device.uuid.empty() ? device::DeviceReadings{} : device::readingsOf(device.uuid);
    return {QString::fromStdString(device.id()),
            QString::fromStdString(device.name),
            bytesText(device.totalBytes),
            bytesText(device.freeBytes),
            device.driver.empty() ? QStringLiteral("-") : QString::fromStdString(device.driver),
            clockText(readings)};
}

class DevicesCommand : public Command
{
public:
    std::string name() const override { return "devices"; }
    std::string summary() const override { return "List devices with memory, free memory, driver, clocks"; }
    void addOptions(Options& options) override { addJsonOption(options, m_asJson); }
    void checkOptions() const override {}
    int run() override;

private:
    bool m_asJson = false;
};

int DevicesCommand::run()
{
    const device::LocalDevices local = device::localDevices();
    if (m_asJson) {
        printJson(devicesObject(local));
        return exitCode::success;
    }
    std::vector<QStringList> rows{{QStringLiteral("DEVICE"), QStringLiteral("NAME"), QStringLiteral("MEMORY"),
                                   QStringLiteral("FREE"), QStringLiteral("DRIVER"),
                                   QStringLiteral("CLOCK")}};
    for (const device::LocalDevice& device : local.devices)
        rows.push_back(rowFor(device));
    Console console;
    console.answer(alignedLines(rows));
    if (!local.gpuProblem.empty())
        console.remark(QString::fromStdString(local.gpuProblem));
    if (!local.restriction.empty())
        console.remark(
            QStringLiteral("Other GPUs are hidden by %1.").arg(QString::fromStdString(local.restriction)));
    return exitCode::success;
}

} // namespace

std::unique_ptr<Command> makeDevicesCommand()
{
    return std::make_unique<DevicesCommand>();
}

} // namespace batchpeak::cli
