// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_runner.h"

#include <QObject>

#include <algorithm>
#include <vector>

namespace batchpeak::engine {

/// Devices of one exploration, each with its runner.
///
/// It reports when all devices have described themselves, when none is left, and when all have ended. It does
/// not decide what runs on them.
class DevicePool : public QObject
{
    Q_OBJECT

public:
    explicit DevicePool(const std::vector<DeviceSetup>& setups, QObject* parent = nullptr);
    /// Kills all workers first, then waits for all of them together.
    ~DevicePool() override;

    void start();
    /// Ends the workers until wake(); none of them may run a trial. rested() follows.
    void rest();
    void wake();
    /// Cancels running trials and ends every worker; ended() follows.
    void end();

    /// Returns the runners that are free; none if all are running trials, restarting or given up.
    std::vector<DeviceRunner*> freeRunners() const;
    /// Returns the runner of that device; null if no such device is left.
    DeviceRunner* usableRunner(const QString& id) const;
    /// Returns the number of devices that are not given up.
    int usableDevices() const;
    /// Whether each of those devices can compare sizes; undefined before ready().
    bool canCompare() const;
    std::vector<DeviceSnapshot> snapshots() const;
    /// \param telemetry  readings of each device, in the order of snapshots()
    void setTelemetry(const std::vector<Telemetry>& telemetry)
    {
        for (std::size_t place = 0; place < std::min(m_runners.size(), telemetry.size()); ++place)
            m_runners[place]->setTelemetry(telemetry[place]);
    }
    /// Returns why the last device was given up.
    QString problem() const;
    /// Whether that was because its place could not be reached any more.
    bool isUnreachable() const { return !m_runners.empty() && m_runners.back()->isUnreachable(); }
    QStringList lastLines() const;

signals:
    /// Emitted when a device has described itself for the first time.
    void deviceReady(const batchpeak::engine::DeviceSnapshot& device);
    /// Emitted when a runner can take a trial.
    void runnerFree();
    /// Emitted once, when every device has described itself or is given up, and at least one is usable.
    void ready();
    /// Emitted when no worker is left after rest().
    void rested();
    /// Emitted when a device is given up; before exhausted().
    void deviceGivenUp(const QString& id);
    /// Emitted when no device is left.
    void exhausted();
    void ended();
    void stepTaken(const batchpeak::trial::Step& step);
    /// \param workerLost, workerSeconds  see DeviceRunner::trialEnded
    void trialEnded(const batchpeak::engine::DeviceSnapshot& device,
                    const batchpeak::trial::TrialResult& result, bool workerLost, double workerSeconds);
    void logged(batchpeak::engine::LogLevel level, const QString& text);
    void connectionChanged(const batchpeak::engine::DeviceSnapshot& device);

private:
    void add(const DeviceSetup& setup);
    void reportIfReady();

    std::vector<DeviceRunner*> m_runners;
    std::vector<const DeviceRunner*> m_shown;
    bool m_isSettled = false;
};

} // namespace batchpeak::engine
