// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_runner.h"
#include "exploration_options.h"
#include "exploration_parts.h"
#include "trial/trial_request.h"

#include <string>
#include <vector>

namespace batchpeak::engine {

/// The devices that an exploration or a training runs on, and what may be read from them meanwhile.
class RunDevices
{
public:
    RunDevices() = default;
    /// \throws ExplorationError for a device that is not here, or where there is no worker
    RunDevices(const trial::LoadRequest& load, const ExplorationOptions& options,
               const ExplorationParts& parts);

    const std::vector<DeviceSetup>& setups() const { return m_setups; }
    /// \param place  in setups()
    Telemetry telemetry(std::size_t place) const;

private:
    std::vector<DeviceSetup> m_setups;
    /// In the order of the setups; empty where there is nothing to read.
    std::vector<std::string> m_uuids;
    std::function<device::DeviceReadings(const std::string& uuid)> m_readingsOf;
};

} // namespace batchpeak::engine
