// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_search.h"

#include <utility>

namespace batchpeak::engine {

DeviceSearch::DeviceSearch(std::function<device::LocalDevices()> localDevices, QObject* parent)
    : QObject(parent), m_localDevices(std::move(localDevices))
{}

void DeviceSearch::start()
{
    if (std::exchange(m_isUnderWay, true))
        return;
    m_thread = std::jthread([this] {
        QMetaObject::invokeMethod(
            this,
            [this, devices = m_localDevices()] {
                m_isUnderWay = false;
                emit found(devices);
            },
            Qt::QueuedConnection);
    });
}

} // namespace batchpeak::engine
