// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchpeak::network {

enum class DeviceKind { Cpu, Cuda };

/// The device that a worker process runs its trials on.
struct DeviceId
{
    DeviceKind kind = DeviceKind::Cpu;
    /// Among the devices that this process sees: CUDA_VISIBLE_DEVICES numbers them anew.
    int index = 0;

    bool operator==(const DeviceId&) const = default;
};

} // namespace batchpeak::network
