// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "local_device.h"

#include "nvml.h"
#include "processor.h"

namespace batchpeak::device {

namespace {

// Loading and initialising the library takes tens of milliseconds, too long for every reading.
const Nvml& sharedNvml()
{
    static const Nvml nvml;
    return nvml;
}

} // namespace

std::string LocalDevice::id() const
{
    return kind == "cpu" ? kind : kind + ":" + std::to_string(index);
}

std::vector<LocalDevice> localDevices()
{
    std::vector<LocalDevice> devices = sharedNvml().devices();
    devices.push_back(processor());
    return devices;
}

DeviceReadings readingsOf(const std::string& uuid)
{
    return sharedNvml().readings(uuid);
}

} // namespace batchpeak::device
