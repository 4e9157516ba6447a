// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "exploration_options.h"
#include "worker_process.h"

#include <QString>

namespace batchpeak::engine {

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

} // namespace batchpeak::engine
