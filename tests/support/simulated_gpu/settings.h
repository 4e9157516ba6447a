// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace batchpeak::simulated_gpu {

/// Properties and faults of a simulated GPU. Each process reads them from the environment variable
/// BATCHPEAK_SIMULATED_GPU, a list of words "key=value". An unknown word aborts the process, so that no test
/// passes without testing anything.
struct Settings
{
    int devices = 1;
    std::int64_t totalBytes = std::int64_t{2} << 30;
    /// Bytes that the CUDA context of a process takes when the process first uses the device.
    std::int64_t contextBytes = std::int64_t{32} << 20;
    /// Bytes that other programs hold forever.
    std::int64_t otherBytes = 0;
    /// Number of allocations and memory queries after the end of a killed process in which its memory still
    /// counts as used.
    int questionsUntilBack = 0;
    /// File in which processes record the device memory that they hold. Without it, each process has the
    /// device to itself.
    std::string ledger;

    /// Host time of each kernel launch. Without a value, the host's clock is the steady clock, and a launch
    /// costs the time that this computer needs for it.
    std::optional<double> launchSeconds;
    /// Memory bandwidth and arithmetic speed of kernels; the slower of the two determines the time of a
    /// kernel.
    double bytesPerSecond = 2e12;
    double flopsPerSecond = 4e14;

    /// Error that cudaGetDeviceCount() returns: 0, or 35 (driver too old), 803 (library and driver differ),
    /// 999, ...
    int initializationError = 0;
    /// Whether NVML fails when libtorch_cuda.so queries it for the text of an out-of-memory message.
    bool failsToNameHolders = false;
    /// Number of the first kernel that fails with failingCode, as all later calls do; 0 if none fails.
    std::int64_t failingKernel = 0;
    int failingCode = 700;
    /// Whether cuDNN computes attention in 16-bit dtypes by default, as on a Hopper GPU.
    bool prefersCudnn = false;
};

const Settings& settings();

} // namespace batchpeak::simulated_gpu
