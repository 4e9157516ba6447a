// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace batchpeak::device {

/// A device of this computer that trials may run on, as it can be told without libtorch.
struct LocalDevice
{
    /// "cpu" or "cuda"
    std::string kind;
    /// Number among the devices of its kind, in the order of NVML.
    int index = 0;
    std::string name;
    /// "GPU-..." of an NVIDIA GPU; it names the device to a worker, whatever the order CUDA counts in.
    std::string uuid;
    std::int64_t totalBytes = 0;
    std::int64_t freeBytes = 0;
    /// Of a GPU: its memory is the computer's main memory, as on a GB10 or a Jetson, and so are the numbers
    /// above.
    bool sharesHostMemory = false;
    std::string driver;
    /// Processors of a CPU with a matrix unit (Intel AMX), for which libraries pack operands.
    int matrixUnits = 0;

    /// "cpu", "cuda:0": the word of the command line.
    std::string id() const;
};

/// A program that uses a device.
struct DeviceProcess
{
    /// As this process sees it, or as the host does where those are not the same.
    std::int64_t pid = 0;
    /// Without its folder; empty where it is not told.
    std::string name;
    std::optional<std::int64_t> bytes;

    bool operator==(const DeviceProcess&) const = default;
};

/// Readings at one moment; those that the device or its driver does not give are absent.
struct DeviceReadings
{
    std::optional<int> utilizationPercent;
    std::optional<int> temperatureCelsius;
    std::optional<int> clockMegahertz;
    std::optional<int> maxClockMegahertz;
    std::optional<double> powerWatts;
    /// What the device keeps within, by its own setting or its owner's.
    std::optional<double> powerLimitWatts;
    /// Bits, see slowdown, and others.
    std::uint64_t clockReasons = 0;
    /// Memory in use, whoever by.
    std::optional<std::int64_t> usedBytes;
    /// That compute there.
    std::optional<std::vector<DeviceProcess>> processes;
    /// Of its memory, since the driver was loaded.
    std::optional<std::int64_t> uncorrectedErrors;
    /// Number of the newest error that the driver reported since the device was first read (NVIDIA's "Xid").
    std::optional<int> xid;
    /// Of a CPU: how many processors there are, and how many processors' worth of time went to others since
    /// the reading before.
    std::optional<int> processors;
    std::optional<double> otherProcessors;
    /// Of a CPU, memory that is not the own processes'.
    std::optional<std::int64_t> otherBytes;
};

/// Why a GPU runs below its clock, as bits of nvmlClocksEventReasons (nvml.h); the other bits are usual at
/// full load, or no slowdown.
namespace slowdown {
/// The device's own: it keeps within its power limit.
inline constexpr std::uint64_t softwarePower = 0x4;
inline constexpr std::uint64_t hardware = 0x8;
inline constexpr std::uint64_t softwareThermal = 0x20;
inline constexpr std::uint64_t hardwareThermal = 0x40;
inline constexpr std::uint64_t powerBrake = 0x80;
} // namespace slowdown

/// Whether the times that an NVIDIA GPU gives can be trusted at this moment, and what it takes; what the
/// device or its driver does not tell is absent.
struct NvidiaCondition
{
    /// Of the streaming multiprocessors.
    std::optional<double> clockMegahertz;
    /// Bits, see above, and others.
    std::uint64_t clockReasons = 0;
    std::optional<double> temperatureCelsius;
    std::optional<double> powerWatts;
    /// Since the driver was loaded; the device counts anew every 20 to 100 ms.
    std::optional<double> energyJoules;
    /// Programs that compute there, by their number on the host.
    std::optional<std::set<unsigned>> processes;
    /// Share of the last second that programs other than this one computed there, 0..1. Absent where this one
    /// is not among the processes: in a container their numbers are the host's, and nobody can tell which it
    /// is.
    std::optional<double> othersShare;
};

/// What trials can be run on.
struct LocalDevices
{
    /// The NVIDIA GPUs that this job was given (see VisibleDevices), then the CPU.
    std::vector<LocalDevice> devices;
    /// What keeps NVIDIA's management library from telling of its GPUs although a driver is here, as a full
    /// sentence; else empty. GPUs may be listed all the same, by what the driver's files tell.
    std::string gpuProblem;
    /// The variable that hides GPUs from this job, with its value; else empty.
    std::string restriction;
};

/// By NVML, which is loaded at run time, and by the files of the driver where it tells of none.
LocalDevices localDevices();

/// Whether the driver of an NVIDIA GPU is loaded, on Linux or beside a Linux inside Windows, by its files or
/// by what its management library lists.
bool nvidiaDriverIsPresent(const std::filesystem::path& root = "/");

/// The GPUs that the driver's files list, without their memory: for a computer whose management library is
/// missing or does not fit the driver.
std::vector<LocalDevice> devicesOfDriver(const std::filesystem::path& root = "/");

/// The CPU with the memory that this process may use, see hostMemory().
///
/// \param root  folder in which /proc and /sys are looked for; another than "/" in tests
LocalDevice processor(const std::filesystem::path& root = "/");

/// \param uuid  of an NVIDIA GPU
DeviceReadings readingsOf(const std::string& uuid);
NvidiaCondition conditionOf(const std::string& uuid);

} // namespace batchpeak::device
