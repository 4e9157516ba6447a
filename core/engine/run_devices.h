// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "exploration_options.h"
#include "exploration_parts.h"
#include "trial/trial_request.h"
#include "worker_conversation.h"

#include <QString>
#include <QStringList>

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
    /// \param place  in setups()
    Telemetry telemetry(std::size_t place) const;

private:
    std::vector<DeviceSetup> m_setups;
    /// In the order of the setups; empty where there is nothing to read.
    std::vector<std::string> m_uuids;
    std::function<device::DeviceReadings(const std::string& uuid)> m_readingsOf;
};

} // namespace batchpeak::engine
