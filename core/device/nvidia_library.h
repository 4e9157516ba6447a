// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "local_device.h"

#include <memory>
#include <string>
#include <vector>

namespace batchpeak::device {

/// NVIDIA's management library (NVML), loaded at run time, so that one program serves computers with and
/// without a GPU.
///
/// This class reads and never sets anything. A call that the driver refuses leaves its value absent. If the
/// library itself is missing, there are no devices and no readings, and problem() says why.
class NvidiaLibrary
{
public:
    /// \param library  name or path for dlopen
    explicit NvidiaLibrary(const std::string& library = "libnvidia-ml.so.1");
    ~NvidiaLibrary();
    NvidiaLibrary(const NvidiaLibrary&) = delete;
    NvidiaLibrary& operator=(const NvidiaLibrary&) = delete;

    /// Reason why the library cannot be used, as a full sentence; empty if it can.
    const std::string& problem() const { return m_problem; }

    /// Lists the devices that report a UUID. The others are left out, since no worker could be bound to them.
    /// For a GPU that is partitioned into MIG instances, the instances are listed instead.
    std::vector<LocalDevice> devices() const;

    /// All values are absent if no device has this UUID. The first call for a device registers for its errors
    /// (Xid), which are recorded from then on.
    DeviceReadings readings(const std::string& uuid) const;
    /// All values are absent if no device has this UUID.
    NvidiaCondition condition(const std::string& uuid) const;

private:
    struct Functions;
    std::unique_ptr<Functions> m_functions;
    std::string m_problem;
};

} // namespace batchpeak::device
