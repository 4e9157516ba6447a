// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_runner.h"

#include <QObject>

#include <algorithm>
#include <vector>

namespace batchpeak::engine {

/// The devices of one exploration, each with its runner.
///
/// It knows when all of them have shown what they have, when none is left, and when all have ended. It
/// does not decide what runs on them.
class DevicePool : public QObject
{
    Q_OBJECT

public:
    explicit DevicePool(const std::vector<DeviceSetup>& setups, QObject* parent = nullptr);
    /// Kills all workers first, and waits for them together.
    ~DevicePool() override;

    void start();
    /// Ends the workers, none of which may run a trial, until wake(); rested() follows.
    void rest();
    void wake();
    /// Cancels what runs and ends every worker; ended() follows.
    void end();

    /// None when all work, restart or are given up.
    std::vector<DeviceRunner*> freeRunners() const;
    /// Nothing where no such device is left.
    DeviceRunner* usableRunner(const QString& id) const;
    /// Devices that are not given up.
    int usableDevices() const;
    /// Each of those can compare sizes; not before ready().
    bool canCompare() const;
    std::vector<DeviceSnapshot> snapshots() const;
    /// \param telemetry  of each device, in the order of snapshots()
    void setTelemetry(const std::vector<Telemetry>& telemetry)
    {
        for (std::size_t place = 0; place < std::min(m_runners.size(), telemetry.size()); ++place)
            m_runners[place]->setTelemetry(telemetry[place]);
    }
    /// Why the last device was given up.
    QString problem() const;
    QStringList lastLines() const;

signals:
    /// A device shows for the first time what it has.
    void deviceReady(const batchpeak::engine::DeviceSnapshot& device);
    /// A runner can take a trial.
    void runnerFree();
    /// Once: every device has shown what it has or is given up, and one at least is usable.
    void ready();
    /// No worker is left.
    void rested();
    /// One device less; before exhausted().
    void deviceGivenUp(const QString& id);
    /// No device is left.
    void exhausted();
    void ended();
    void stepTaken(const batchpeak::trial::Step& step);
    /// \param workerLost, workerSeconds  as of DeviceRunner::trialEnded
    void trialEnded(const batchpeak::engine::DeviceSnapshot& device,
                    const batchpeak::trial::TrialResult& result, bool workerLost, double workerSeconds);
    void logged(batchpeak::engine::LogLevel level, const QString& text);

private:
    void add(const DeviceSetup& setup);
    void reportIfReady();

    std::vector<DeviceRunner*> m_runners;
    std::vector<const DeviceRunner*> m_shown;
    bool m_isSettled = false;
};

} // namespace batchpeak::engine
