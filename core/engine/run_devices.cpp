// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_devices.h"

#include "device_choice.h"
#include "worker_location.h"

#include <QCoreApplication>

namespace batchpeak::engine {

RunDevices::RunDevices(const trial::LoadRequest& load, const ExplorationOptions& options,
                       const ExplorationParts& parts)
    : m_readingsOf(parts.readingsOf)
{
    const auto devices = options.launcher.isEmpty() ? chooseDevices(options.devices, parts.localDevices())
                                                    : devicesBehindLauncher(options.devices);
    for (const device::LocalDevice& device : devices) {
        m_setups.push_back({.id = QString::fromStdString(device.id()),
                            .command = workerCommand(options, device, QCoreApplication::applicationDirPath()),
                            .load = load,
                            .memoryLimitBytes = options.memoryLimitBytes,
                            .headroom = options.headroom,
                            .timeouts = parts.timeouts,
                            .memoryKills = parts.memoryKills});
        m_uuids.push_back(device.uuid);
    }
}

Telemetry RunDevices::telemetry(std::size_t place) const
{
    if (m_uuids[place].empty())
        return {};
    const device::DeviceReadings readings = m_readingsOf(m_uuids[place]);
    return {.utilizationPercent = readings.utilizationPercent,
            .temperatureCelsius = readings.temperatureCelsius,
            .clockMegahertz = readings.clockMegahertz};
}

} // namespace batchpeak::engine
