// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "background_thread.h"
#include "device/local_device.h"
#include "exploration_parts.h"
#include "options/exploration_options.h"
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

/// Which of the devices of this computer are meant.
///
/// \param words      "cpu", "cuda" (every GPU), "cuda:N"; empty stands for every GPU, else the CPU
/// \param available  as device::localDevices() lists them
/// \return each device once, in the order of the words
/// \throws ExplorationError for a word that is none of these, or a device that is not here; UnusableGpuError
///         without words, where a GPU is here that cannot be used: nobody gets the CPU for it unasked
std::vector<device::LocalDevice> chooseDevices(const QStringList& words,
                                               const device::LocalDevices& available);

/// The devices that the words name wherever the launcher leads: what is there, only the worker can tell.
/// An empty list of words stands for the CPU.
/// \throws ExplorationError for a word that is no device
std::vector<device::LocalDevice> devicesBehindLauncher(const QStringList& words);

/// Where batchpeak-worker lies: beside the program, else in ../libexec/batchpeak, else where the
/// environment variable BATCHPEAK_WORKER says.
///
/// \param programFolder  folder of the running program
/// \throws ExplorationError when it is nowhere
QString workerPath(const QString& programFolder);

/// What is started for a device: the launcher's words, then the worker command of the options, or
/// batchpeak-worker with the device's name. A GPU is handed over by its UUID in CUDA_VISIBLE_DEVICES,
/// where CUDA counts in another order than NVML; it is the worker's first then.
///
/// \throws ExplorationError when there is no worker
WorkerCommand workerCommand(const ExplorationOptions& options, const device::LocalDevice& device,
                            const QString& programFolder);

/// The devices that an exploration or a training runs on, and what may be read from them meanwhile.
class RunDevices
{
public:
    RunDevices() = default;
    /// \throws ExplorationError for a device that is not here, or where there is no worker
    RunDevices(const trial::LoadRequest& load, const ExplorationOptions& options,
               const ExplorationParts& parts);

    const std::vector<DeviceSetup>& setups() const { return m_setups; }
    /// Readings of all, in the order of setups(); a call may take as long as a driver wants. None of what is
    /// behind a launcher.
    /// \param workers  process number of each device's worker, 0 where none runs
    std::vector<Telemetry> telemetry(const std::vector<std::int64_t>& workers) const;
    /// Reads them in the background: a driver may take its time, and a window must not wait for it. Nothing
    /// is read while it still reads, or where there is no thread for it.
    void readTelemetry(BackgroundThread& thread, const std::vector<std::int64_t>& workers,
                       std::function<void(const std::vector<Telemetry>&)> then) const;

private:
    std::vector<DeviceSetup> m_setups;
    Telemetry telemetryOf(const std::string& uuid, std::int64_t worker) const;

    /// In the order of the setups; empty for the CPU.
    std::vector<std::string> m_uuids;
    bool m_isHere = true;
    std::function<device::DeviceReadings(const std::string& uuid)> m_readingsOf;
    device::ProcessorReader m_processorReadings;
};

} // namespace batchpeak::engine
