// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_memory.h"

#include "accelerator_device_memory.h"
#include "cpu_device_memory.h"

namespace batchpeak::network {

std::unique_ptr<DeviceMemory> openDeviceMemory(DeviceId device, bool sharesHostMemory)
{
    if (device.kind == DeviceKind::Cpu)
        return std::make_unique<CpuDeviceMemory>();
    return std::make_unique<AcceleratorDeviceMemory>(device, sharesHostMemory);
}

} // namespace batchpeak::network
