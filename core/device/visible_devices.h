// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "local_device.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::device {

/// The value of an environment variable; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

std::optional<std::string> processEnvironment(const char* name);

/// The NVIDIA GPUs that a job was given, of those that the management library sees: it sees all of the
/// computer's, neighbors' too.
struct VisibleDevices
{
    /// In the order of the job, and numbered in it, as CUDA numbers them for every program of the job.
    std::vector<LocalDevice> devices;
    /// The variable that has left some out, with its value: "CUDA_VISIBLE_DEVICES=2,3"; else empty.
    std::string restriction;
};

/// CUDA_VISIBLE_DEVICES decides (numbers, GPU-... and MIG-... names and their beginnings, up to the first
/// that is not there: CUDA C++ Programming Guide, "CUDA Environment Variables"); without it
/// NVIDIA_VISIBLE_DEVICES of the container toolkit, which Kubernetes' device plugin sets, then
/// SLURM_STEP_GPUS and SLURM_JOB_GPUS, unless what they name is not there: then devices are hidden already,
/// and those that are left are the job's.
///
/// \param all  of NVML, in its order; CUDA_DEVICE_ORDER=FASTEST_FIRST of unlike GPUs may number them
/// otherwise
VisibleDevices visibleDevices(const std::vector<LocalDevice>& all, const Environment& environment);

} // namespace batchpeak::device
