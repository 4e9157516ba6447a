// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stuck_workers.h"
#include "text/errors.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

namespace batchpeak::engine {

/// Right to use the devices. Among the runs that share a lease, only one at a time may hold it, since two
/// would disturb each other's times and memory.
///
/// A run takes the lease when it starts and holds it until no process of the run is left, however it ends.
/// There is no queue of waiting runs. Other programs and processes do not know of it.
class DeviceLease : public QObject
{
    Q_OBJECT

public:
    enum class Holder { Exploration, Training, Confirmation };

    /// \param stuckWorkers  those of another lease, for a run that is a part of the run that holds that lease
    explicit DeviceLease(std::shared_ptr<StuckWorkers> stuckWorkers = std::make_shared<StuckWorkers>());

    /// Returns the lease when it is destroyed; it must not outlive the lease.
    struct GiveBack
    {
        void operator()(DeviceLease* lease) const { lease->setHolder(std::nullopt); }
    };
    using Hold = std::unique_ptr<DeviceLease, GiveBack>;

    /// \throws DeviceInUse  if another run holds the lease
    Hold take(Holder holder);
    std::optional<Holder> holder() const { return m_holder; }
    /// Returns why a run of that kind cannot start now, as a sentence that says what to do. Empty if it can,
    /// or if that run itself is under way.
    QString obstacleFor(Holder holder) const;

    /// Returns the workers that earlier runs could not end.
    const std::shared_ptr<StuckWorkers>& stuckWorkers() const { return m_stuckWorkers; }

signals:
    /// Emitted when the lease was taken or given back. At that time, a run that has taken it is not under way
    /// yet, and a run that gives it back is no longer under way.
    void changed();

private:
    void setHolder(std::optional<Holder> holder);

    std::optional<Holder> m_holder;
    std::shared_ptr<StuckWorkers> m_stuckWorkers;
};

/// Thrown when a run cannot start because another one uses the devices.
class DeviceInUse : public ExplorationError
{
public:
    explicit DeviceInUse(DeviceLease::Holder holder);

    DeviceLease::Holder holder() const { return m_holder; }

private:
    DeviceLease::Holder m_holder;
};

} // namespace batchpeak::engine
