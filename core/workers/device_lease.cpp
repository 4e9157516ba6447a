// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_lease.h"

#include <utility>

namespace batchpeak::engine {

namespace {

QString textOf(DeviceLease::Holder holder)
{
    switch (holder) {
    case DeviceLease::Holder::Exploration:
        return DeviceLease::tr("An exploration uses the device. Stop it, or wait until it has ended.");
    case DeviceLease::Holder::Training:
        return DeviceLease::tr("A training run uses the device. Stop it first.");
    case DeviceLease::Holder::Confirmation:
        break;
    }
    return DeviceLease::tr("The recommendation is being confirmed, which uses the device. Stop that first.");
}

} // namespace

DeviceInUse::DeviceInUse(DeviceLease::Holder holder) : ExplorationError(textOf(holder)), m_holder(holder) {}

DeviceLease::DeviceLease(std::shared_ptr<StuckWorkers> stuckWorkers) : m_stuckWorkers(std::move(stuckWorkers))
{}

DeviceLease::Hold DeviceLease::take(Holder holder)
{
    if (m_holder)
        throw DeviceInUse(*m_holder);
    setHolder(holder);
    return Hold(this);
}

QString DeviceLease::obstacleFor(Holder holder) const
{
    return m_holder && m_holder != holder ? textOf(*m_holder) : QString();
}

void DeviceLease::setHolder(std::optional<Holder> holder)
{
    m_holder = holder;
    emit changed();
}

} // namespace batchpeak::engine
