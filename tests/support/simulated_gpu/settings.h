// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace batchpeak::simulated_gpu {

/// What a simulated GPU is like, and what goes wrong with it: words "key=value" in BATCHPEAK_SIMULATED_GPU,
/// which every process reads for itself. A word that is not known ends the process, so that no test tests
/// nothing.
struct Settings
{
    int devices = 1;
    std::int64_t totalBytes = std::int64_t{2} << 30;
    /// Taken by a context as soon as a process uses the device.
    std::int64_t contextBytes = std::int64_t{32} << 20;
    /// Held by other programs for ever.
    std::int64_t otherBytes = 0;
    /// So many times free memory is asked for until what a killed process held is free.
    int questionsUntilBack = 0;
    /// Where processes say what they hold of the device; without it each one has the device to itself.
    std::string ledger;

    /// Of the host, for each kernel; without a value the clock of the computer runs, and kernels cost what
    /// they take it.
    std::optional<double> launchSeconds;
    /// Bytes that kernels read and write, and products that they take.
    double bytesPerSecond = 2e12;
    double flopsPerSecond = 4e14;

    /// What cudaGetDeviceCount says: 0, or 35 (driver too old), 803 (library and driver differ), 999, ...
    int initializationError = 0;
    /// The management library of libtorch_cuda.so fails when it is asked for what an out-of-memory message
    /// tells.
    bool failsToNameHolders = false;
    /// The kernel of that number, and all that follow, fail with this code; 0 for none.
    std::int64_t failingKernel = 0;
    int failingCode = 700;
    /// As on a Hopper: cuDNN's kernel computes attention in 16 bits, unless another is asked for.
    bool prefersCudnn = false;
};

const Settings& settings();

} // namespace batchpeak::simulated_gpu
