// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "background_thread.h"
#include "device/local_device.h"
#include "exploration_parts.h"
#include "options/exploration_options.h"
#include "place_launch.h"
#include "trial/trial_request.h"
#include "worker_conversation.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace batchpeak::engine {

/// Selects devices of this computer.
///
/// \param words  "cpu", "cuda" (every GPU), "cuda:N"; empty selects every GPU, or the CPU if there is none
/// \param available  as device::localDevices() lists them
/// \return each device once, in the order of the words
/// \throws ExplorationError  for a word that is none of these, or a device that is not here
/// \throws UnusableGpuError  without words, if there is a GPU here that cannot be used: the CPU is never
///         chosen in its place without being asked for
std::vector<device::LocalDevice> chooseDevices(const QStringList& words,
                                               const device::LocalDevices& available);

/// Returns the devices that the words name on whatever computer the launcher leads to; only the worker can
/// tell what is there. An empty list of words selects the CPU.
/// \throws ExplorationError  for a word that is not a device
std::vector<device::LocalDevice> devicesBehindLauncher(const QStringList& words);

/// Returns the same devices at a place, with as many GPUs as there are processes.
std::vector<PlacedDevice> unaskedDevices(const Place& place, const ExplorationOptions& options);
/// Returns these devices for each place, which must be a prefix: nothing is asked there.
/// \throws ExplorationError  for another place
std::vector<PlacedDevice> devicesBehindPrefixes(const ExplorationOptions& options);
/// Whether no place of the options has to be opened by a PlaceSession.
bool namesOnlyPrefixes(const ExplorationOptions& options);

/// Returns the path of batchpeak-worker: next to the program, else in ../libexec/batchpeak, else the value of
/// the environment variable BATCHPEAK_WORKER.
///
/// \param programFolder  folder of the running program
/// \throws ExplorationError  if it is in none of these places
QString workerPath(const QString& programFolder);

/// Returns the command that is started for a device: the worker command of the options, the Python that the
/// options name, or batchpeak-worker; the latter two get the device's name. A GPU is passed by its UUID in
/// CUDA_VISIBLE_DEVICES, because CUDA may count in a different order than NVML; it is then the worker's first
/// GPU. At a place, the launcher's words precede all that.
///
/// \throws ExplorationError  if there is no worker
WorkerCommand workerCommand(const ExplorationOptions& options, const DeviceGroup& group,
                            const QString& programFolder);
WorkerCommand workerCommand(const ExplorationOptions& options, const PlacedDevice& placed,
                            const QString& programFolder);

/// Devices that an exploration or a training runs on, and their readings meanwhile.
class RunDevices
{
public:
    RunDevices() = default;
    /// \throws ExplorationError  for a device that is not here, if there is no worker, or for a place that
    ///         was not opened
    RunDevices(const trial::LoadRequest& load, const ExplorationOptions& options,
               const ExplorationParts& parts);

    const std::vector<DeviceSetup>& setups() const { return m_setups; }
    /// Returns the readings of all devices, in the order of setups(). A call takes as long as the driver
    /// takes. Devices behind a launcher have no readings.
    /// \param workers  process id of each device's worker, 0 if none runs
    std::vector<Telemetry> telemetry(const std::vector<std::int64_t>& workers) const;
    /// Reads the telemetry in the background: a driver may be slow, and a window must not wait for it. Does
    /// nothing while a previous read is under way, or if there is no thread for it.
    void readTelemetry(BackgroundThread& thread, const std::vector<std::int64_t>& workers,
                       std::function<void(const std::vector<Telemetry>&)> then) const;

private:
    std::vector<DeviceSetup> m_setups;
    Telemetry telemetryOf(const std::string& uuid, std::int64_t worker) const;

    /// UUIDs in the order of the setups; empty for the CPU.
    std::vector<std::string> m_uuids;
    bool m_isHere = true;
    std::function<device::DeviceReadings(const std::string& uuid)> m_readingsOf;
    device::ProcessorReader m_processorReadings;
};

} // namespace batchpeak::engine
