// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace batchpeak::simulated_gpu {

/// Properties and faults of a simulated GPU: words "key=value" in BATCHPEAK_SIMULATED_GPU, which every
/// process reads for itself. An unknown word ends the process, so that no test passes without testing
/// anything.
struct Settings
{
    int devices = 1;
    std::int64_t totalBytes = std::int64_t{2} << 30;
    /// Bytes that a context takes as soon as a process uses the device.
    std::int64_t contextBytes = std::int64_t{32} << 20;
    /// Bytes that other programs hold forever.
    std::int64_t otherBytes = 0;
    /// Number of queries of the free memory until the memory of a killed process is free.
    int questionsUntilBack = 0;
    /// File in which processes record the memory of the device that they hold; without it each process has
    /// the device to itself.
    std::string ledger;

    /// Host time of each kernel launch; without a value the computer's clock runs, and kernels cost the time
    /// that they take it.
    std::optional<double> launchSeconds;
    /// Bandwidth of kernels for the bytes that they read and write, and their speed of multiplications.
    double bytesPerSecond = 2e12;
    double flopsPerSecond = 4e14;

    /// Error of cudaGetDeviceCount: 0, or 35 (driver too old), 803 (library and driver differ), 999, ...
    int initializationError = 0;
    /// Whether the management library of libtorch_cuda.so fails when it is queried for the contents of an
    /// out-of-memory message.
    bool failsToNameHolders = false;
    /// Number of the kernel that, with all that follow, fails with failingCode; 0 for none.
    std::int64_t failingKernel = 0;
    int failingCode = 700;
    /// Whether cuDNN's kernel computes attention in 16 bits unless another is requested, as on a Hopper GPU.
    bool prefersCudnn = false;
};

const Settings& settings();

} // namespace batchpeak::simulated_gpu
