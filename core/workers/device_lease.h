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

/// Who may use the devices: of the runs that share a lease, one at a time, since two of them would spoil each
/// other's times and memory.
///
/// A run takes it when it starts and holds it until no process of the run is left, however that comes about.
/// Nobody waits for it in turn. Programs and other processes know nothing of it.
class DeviceLease : public QObject
{
    Q_OBJECT

public:
    enum class Holder { Exploration, Training, Confirmation };

    /// \param stuckWorkers  of another lease, for runs that are a part of one that holds it
    explicit DeviceLease(std::shared_ptr<StuckWorkers> stuckWorkers = std::make_shared<StuckWorkers>());

    /// Gives the lease back when it is destroyed; it must not outlive the lease.
    struct GiveBack
    {
        void operator()(DeviceLease* lease) const { lease->setHolder(std::nullopt); }
    };
    using Hold = std::unique_ptr<DeviceLease, GiveBack>;

    /// \throws DeviceInUse where another run holds it
    Hold take(Holder holder);
    std::optional<Holder> holder() const { return m_holder; }
    /// Why a run of that kind cannot start now, as a sentence that says what to do; empty where nothing
    /// stands in its way, or it is under way itself.
    QString obstacleFor(Holder holder) const;

    /// What earlier runs could not end.
    const std::shared_ptr<StuckWorkers>& stuckWorkers() const { return m_stuckWorkers; }

signals:
    /// It was taken or given back. A run that has taken it is not under way yet, and one that gives it back
    /// is not any more.
    void changed();

private:
    void setHolder(std::optional<Holder> holder);

    std::optional<Holder> m_holder;
    std::shared_ptr<StuckWorkers> m_stuckWorkers;
};

/// A run that cannot start since another one uses the devices.
class DeviceInUse : public ExplorationError
{
public:
    explicit DeviceInUse(DeviceLease::Holder holder);

    DeviceLease::Holder holder() const { return m_holder; }

private:
    DeviceLease::Holder m_holder;
};

} // namespace batchpeak::engine
