// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_snapshots.h"

namespace batchpeak::test {

using namespace batchpeak::engine;

device::LocalDevices processorAlone()
{
    return {.devices = {{.kind = "cpu",
                         .name = "AMD EPYC 9554, 16 cores",
                         .totalBytes = bytesOf(128.0),
                         .freeBytes = bytesOf(117.6)}}};
}

device::LocalDevices sampleDevices()
{
    const auto gpu = [](int index, double freeGibibytes) {
        return device::LocalDevice{.kind = "cuda",
                                   .index = index,
                                   .name = "NVIDIA H100 80GB HBM3",
                                   .uuid = "GPU-" + std::to_string(index),
                                   .totalBytes = bytesOf(80.0),
                                   .freeBytes = bytesOf(freeGibibytes),
                                   .driver = "550.54"};
    };
    device::LocalDevices devices{.devices = {gpu(0, 79.1), gpu(1, 47.5)}};
    devices.devices.push_back(processorAlone().devices.front());
    return devices;
}

DeviceSnapshot sampleGpu(const QString& id)
{
    return {.id = id,
            .kind = QStringLiteral("cuda"),
            .name = QStringLiteral("NVIDIA H100"),
            .totalBytes = bytesOf(80.0),
            .limitBytes = bytesOf(79.1),
            .usableBytes = bytesOf(79.1 * 0.92),
            .baselineBytes = bytesOf(9.1),
            .workerPid = 41232,
            .program = QStringLiteral("batchpeak-worker"),
            .telemetry = {.utilizationPercent = 97,
                          .temperatureCelsius = 64,
                          .clockMegahertz = 1980,
                          .maxClockMegahertz = 1980,
                          .powerWatts = 612.0,
                          .powerLimitWatts = 700.0,
                          .usedBytes = bytesOf(63.9),
                          .processes = std::vector<device::DeviceProcess>(),
                          .otherBytes = bytesOf(0.9)}};
}

void release(DeviceSnapshot& device)
{
    device.workerPid = 0;
    device.telemetry = {};
}

} // namespace batchpeak::test
