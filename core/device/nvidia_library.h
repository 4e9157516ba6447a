// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "local_device.h"

#include <memory>
#include <string>
#include <vector>

namespace batchpeak::device {

/// NVIDIA's management library, loaded at run time, so that one program serves computers with and
/// without a GPU.
///
/// It reads and never sets anything. A call that the driver refuses leaves its value absent; where the
/// library itself is missing there are no devices and no readings, and problem() says why.
class NvidiaLibrary
{
public:
    /// \param library  name or path, as dlopen takes it
    explicit NvidiaLibrary(const std::string& library = "libnvidia-ml.so.1");
    ~NvidiaLibrary();
    NvidiaLibrary(const NvidiaLibrary&) = delete;
    NvidiaLibrary& operator=(const NvidiaLibrary&) = delete;

    /// Why there is no library to ask, as a full sentence; empty when there is.
    const std::string& problem() const { return m_problem; }

    /// Devices that name themselves with a UUID; those that fail to are left out, since no worker
    /// could be bound to them. A GPU that is cut into slices (MIG) is its slices.
    std::vector<LocalDevice> devices() const;

    /// Nothing but absent values for a UUID that is not here. The first of a device has its errors be noted
    /// from then on.
    DeviceReadings readings(const std::string& uuid) const;
    /// The same.
    NvidiaCondition condition(const std::string& uuid) const;

private:
    struct Functions;
    std::unique_ptr<Functions> m_functions;
    std::string m_problem;
};

} // namespace batchpeak::device
