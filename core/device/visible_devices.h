// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "local_device.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::device {

/// Returns the value of an environment variable, or nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

std::optional<std::string> processEnvironment(const char* name);

/// The NVIDIA GPUs that were assigned to a job. The management library itself lists all GPUs of the computer,
/// including those of other jobs.
struct VisibleDevices
{
    /// In the order of the job's variable, with indices in this order, as CUDA numbers them in every process
    /// of the job.
    std::vector<LocalDevice> devices;
    /// The variable that restricts the devices, with its value: "CUDA_VISIBLE_DEVICES=2,3"; otherwise empty.
    std::string restriction;
};

/// Selects the devices of the job by the first of these environment variables that applies:
///
/// - CUDA_VISIBLE_DEVICES: indices, GPU-... and MIG-... names and their prefixes, up to the first one that
///   does not exist (CUDA C++ Programming Guide, "CUDA Environment Variables").
/// - NVIDIA_VISIBLE_DEVICES of the container toolkit, which Kubernetes' device plugin sets, then
///   SLURM_STEP_GPUS and SLURM_JOB_GPUS. One that names a device that does not exist is ignored: devices are
///   then hidden already, and all that are left are the job's.
///
/// \param all  devices that NVML lists, in its order; CUDA_DEVICE_ORDER=FASTEST_FIRST may number GPUs of
///        different models in another order
VisibleDevices visibleDevices(const std::vector<LocalDevice>& all, const Environment& environment);

} // namespace batchpeak::device
