// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"

#include <QObject>

#include <functional>
#include <thread>

namespace batchpeak::engine {

/// Looks for the devices of this computer on a thread of its own: a driver that wakes its GPUs takes a
/// second.
///
/// One search at a time; another call while it goes on does nothing. Destroying it waits for its end.
class DeviceSearch : public QObject
{
    Q_OBJECT

public:
    explicit DeviceSearch(std::function<device::LocalDevices()> localDevices = device::localDevices,
                          QObject* parent = nullptr);

    void start();

signals:
    void found(const batchpeak::device::LocalDevices& devices);

private:
    std::function<device::LocalDevices()> m_localDevices;
    bool m_isUnderWay = false;
    std::jthread m_thread;
};

} // namespace batchpeak::engine
