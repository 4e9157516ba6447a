// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "local_device.h"

#include "nvidia_library.h"
#include "processor.h"

namespace batchpeak::device {

namespace {

// Loading and initialising the library takes tens of milliseconds, too long for every reading.
const NvidiaLibrary& sharedLibrary()
{
    static const NvidiaLibrary nvml;
    return nvml;
}

} // namespace

std::string LocalDevice::id() const
{
    return kind == "cpu" ? kind : kind + ":" + std::to_string(index);
}

std::vector<LocalDevice> localDevices()
{
    std::vector<LocalDevice> devices = sharedLibrary().devices();
    devices.push_back(processor());
    return devices;
}

DeviceReadings readingsOf(const std::string& uuid)
{
    return sharedLibrary().readings(uuid);
}

NvidiaCondition conditionOf(const std::string& uuid)
{
    return sharedLibrary().condition(uuid);
}

} // namespace batchpeak::device
