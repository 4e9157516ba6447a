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

/// A device of this computer that trials may run on, described without libtorch.
struct LocalDevice
{
    /// "cpu" or "cuda"
    std::string kind;
    /// Index among the devices of its kind, in the order of NVML.
    int index = 0;
    std::string name;
    /// UUID of an NVIDIA GPU, "GPU-...". It identifies the device to a worker independently of the order in
    /// which CUDA numbers devices.
    std::string uuid;
    std::int64_t totalBytes = 0;
    std::int64_t freeBytes = 0;
    /// Whether a GPU uses the computer's main memory, as on a GB10 or a Jetson. The byte counts above are
    /// then those of the main memory.
    bool sharesHostMemory = false;
    std::string driver;
    /// Number of processors of a CPU that have a matrix unit (Intel AMX), for which libraries pack operands.
    int matrixUnits = 0;

    /// Name of the device on the command line: "cpu", "cuda:0".
    std::string id() const;
};

/// A program that uses a device.
struct DeviceProcess
{
    /// Process id as this process sees it, or the host's process id where the two differ.
    std::int64_t pid = 0;
    /// File name of the program without its folder; empty if unknown.
    std::string name;
    std::optional<std::int64_t> bytes;

    bool operator==(const DeviceProcess&) const = default;
};

/// Reason that a device runs below its normal clock rate.
enum class Throttle { None, Power, Heat, Hardware };

/// Readings at one moment. A value that the device or its driver does not report is absent.
struct DeviceReadings
{
    std::optional<int> utilizationPercent;
    std::optional<int> temperatureCelsius;
    std::optional<int> clockMegahertz;
    std::optional<int> maxClockMegahertz;
    std::optional<double> powerWatts;
    /// Power limit that the device enforces: its default one, or one that its owner has set.
    std::optional<double> powerLimitWatts;
    Throttle throttle = Throttle::None;
    /// Memory in use by any process; for a CPU, main memory.
    std::optional<std::int64_t> usedBytes;
    /// Processes that run compute work on the device.
    std::optional<std::vector<DeviceProcess>> processes;
    /// Number of uncorrected errors of the device's memory since the driver was loaded.
    std::optional<std::int64_t> uncorrectedErrors;
    /// Code of the newest error that the driver reported since the device was first read (NVIDIA's "Xid").
    std::optional<int> xid;
    /// For a CPU: the number of processors, and the CPU time that other processes took since the previous
    /// reading, as a number of processors.
    std::optional<int> processors;
    std::optional<double> otherProcessors;
    /// Memory that other processes use. A GPU reports it only as that of `processes`.
    std::optional<std::int64_t> otherBytes;
};

/// Reasons why a GPU runs below its clock, as bits of nvmlClocksEventReasons (nvml.h). The other bits are
/// normal at full load, or do not mean a slowdown.
namespace slowdown {
/// The device lowers its clock to stay within its power limit.
inline constexpr std::uint64_t softwarePower = 0x4;
inline constexpr std::uint64_t hardware = 0x8;
inline constexpr std::uint64_t softwareThermal = 0x20;
inline constexpr std::uint64_t hardwareThermal = 0x40;
inline constexpr std::uint64_t powerBrake = 0x80;
} // namespace slowdown

/// \param clockReasons  bit mask of nvmlClocksEventReasons
Throttle throttleOf(std::uint64_t clockReasons);

/// State of an NVIDIA GPU at one moment: it tells whether times measured on the GPU can be trusted, and how
/// much power and energy the GPU draws. A value that the device or its driver does not report is absent.
struct NvidiaCondition
{
    /// Clock of the streaming multiprocessors.
    std::optional<double> clockMegahertz;
    /// Bit mask of nvmlClocksEventReasons: the bits of namespace slowdown, and others.
    std::uint64_t clockReasons = 0;
    std::optional<double> temperatureCelsius;
    std::optional<double> powerWatts;
    /// Energy drawn since the driver was loaded. The device updates the counter every 20 to 100 ms.
    std::optional<double> energyJoules;
    /// Ids on the host of the processes that run compute work on the device.
    std::optional<std::set<unsigned>> processes;
    /// Share of the last second, 0..1, in which processes other than this one ran compute work on the device.
    /// Absent if this process is not among the processes: in a container their ids are the host's, so it is
    /// unknown which of them is this process.
    std::optional<double> othersShare;
};

/// The devices that trials can run on.
struct LocalDevices
{
    /// The NVIDIA GPUs that this job was given (see VisibleDevices), then the CPU.
    std::vector<LocalDevice> devices;
    /// Reason why NVIDIA's management library lists no GPU although a driver is present, as a full sentence;
    /// otherwise empty. GPUs may still be listed, from the driver's files.
    std::string gpuProblem;
    /// The environment variable that hides GPUs from this job, with its value; otherwise empty.
    std::string restriction;
};

/// Lists devices with NVML, which is loaded at run time, or from the driver's files if NVML lists no GPU.
LocalDevices localDevices();

/// Whether the driver of an NVIDIA GPU is loaded, on Linux or on the Windows host of a Linux (WSL). Detected
/// from the driver's files, or from the GPUs that its management library lists.
bool nvidiaDriverIsPresent(const std::filesystem::path& root = "/");

/// Lists the GPUs in the driver's files, without their memory sizes. For a computer whose management library
/// is missing or does not match the driver.
std::vector<LocalDevice> devicesOfDriver(const std::filesystem::path& root = "/");

/// Returns the CPU with the memory that this process may use, see hostMemory().
///
/// \param root  folder that contains proc and sys; other than "/" in tests
LocalDevice processor(const std::filesystem::path& root = "/");

/// \param uuid  UUID of an NVIDIA GPU
DeviceReadings readingsOf(const std::string& uuid);
NvidiaCondition conditionOf(const std::string& uuid);

} // namespace batchpeak::device
