// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace batchpeak::network {

/// Result of loading the library that drives NVIDIA GPUs.
struct AcceleratorLibrary
{
    /// Number of devices that trials can run on; 0 without the library.
    int devices = 0;
    /// Why there are none although an NVIDIA driver is present, as a full sentence; otherwise empty.
    std::string problem;
};

/// Loads libtorch_cuda.so if an NVIDIA device is present. It must be the first statement of main(): libtorch
/// asks for CUDA's hooks once and keeps the answer for good (measured on torch 2.11.0).
AcceleratorLibrary loadAcceleratorLibrary();

/// Returns a full sentence if the libtorch loaded now is not the version compiled against, whose memory
/// statistics would be misread; otherwise nothing. Call it before anything but loadAcceleratorLibrary().
std::optional<std::string> problemWithLibtorch();

/// "libtorch 2.11.0"
std::string libtorchName();

/// Makes one operation use every core that this process may use: libtorch's own default (one thread per core,
/// or OMP_NUM_THREADS), but no more than a container's CPU quota.
///
/// \return number of threads in use
/// \throws std::runtime_error  if the system has too few threads to spare; the message is a sentence that
///         says so
int useAllCores();

/// Keeps oneDNN from using a matrix unit (Intel AMX) that the processor announces but does not describe. Some
/// virtual machines pass the unit on and hide CPUID leaf 0x1D, which holds the shape of its tiles: oneDNN
/// then runs unconfigured tiles, and the first bf16 product ends the process with SIGILL (seen with oneDNN of
/// torch 2.11.0 in a Firecracker guest; without AMX the same product works).
///
/// Call it before the first product. The user's own setting of ONEDNN_MAX_CPU_ISA is respected.
void avoidUndescribedTileUnit();

} // namespace batchpeak::network
