// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "nvidia_library.h"

#include "host_memory.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <type_traits>

namespace batchpeak::device {

namespace {

// Declared by hand after NVIDIA's nvml.h (API 11 and later), which no torch wheel contains.
using Result = int;
using Handle = void*;
constexpr Result success = 0;
constexpr Result notSupported = 3;
constexpr Result insufficientSize = 7;
constexpr unsigned temperatureOfGpu = 0;
constexpr unsigned clockOfSm = 1;
constexpr unsigned uncorrected = 1;
// Counts errors since the driver was loaded; the "aggregate" counter covers the life of the device.
constexpr unsigned volatileCount = 0;
constexpr unsigned long long xidEvent = 8;
constexpr unsigned long long unknownBytes = ~0ULL;
// NVML_DEVICE_UUID_V2_BUFFER_SIZE and NVML_DEVICE_NAME_V2_BUFFER_SIZE
constexpr std::size_t textBytes = 96;

struct Memory
{
    unsigned long long total = 0;
    unsigned long long free = 0;
    unsigned long long used = 0;
};
struct Utilization
{
    unsigned gpu = 0;
    unsigned memory = 0;
};
// nvmlProcessInfo_t of the functions that end in _v3
struct Process
{
    unsigned pid = 0;
    unsigned long long usedMemory = 0;
    unsigned gpuInstance = 0;
    unsigned computeInstance = 0;
};

// nvmlProcessUtilizationSample_t
struct ProcessUtilization
{
    unsigned pid = 0;
    // Microseconds since 1970 by the computer's clock.
    unsigned long long time = 0;
    // Utilization of the streaming multiprocessors, and of the units below [percent].
    unsigned sm = 0;
    unsigned memory = 0;
    unsigned encoder = 0;
    unsigned decoder = 0;
};

// nvmlEventData_t
struct EventData
{
    Handle device = nullptr;
    unsigned long long type = 0;
    unsigned long long data = 0;
    unsigned gpuInstance = 0;
    unsigned computeInstance = 0;
};

using Text = std::array<char, textBytes>;

// Converts milliwatts to watts, and millijoules to joules.
double thousandthsOf(unsigned long long value)
{
    return static_cast<double>(value) / 1000.0;
}

std::string textOf(const Text& text)
{
    return {text.data(), strnlen(text.data(), text.size())};
}

} // namespace

struct NvidiaLibrary::Functions
{
    explicit Functions(void* handle) : library(handle)
    {
        bool complete = true;
        const auto findIfThere = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        };
        const auto find = [&](auto& function, const char* name) {
            findIfThere(function, name);
            complete = complete && function;
        };
        find(initialize, "nvmlInit_v2");
        find(shutdown, "nvmlShutdown");
        find(errorString, "nvmlErrorString");
        find(driverVersion, "nvmlSystemGetDriverVersion");
        find(count, "nvmlDeviceGetCount_v2");
        find(handleByIndex, "nvmlDeviceGetHandleByIndex_v2");
        find(handleByUuid, "nvmlDeviceGetHandleByUUID");
        find(name, "nvmlDeviceGetName");
        find(uuid, "nvmlDeviceGetUUID");
        find(memoryInfo, "nvmlDeviceGetMemoryInfo");
        find(utilization, "nvmlDeviceGetUtilizationRates");
        find(temperature, "nvmlDeviceGetTemperature");
        find(clock, "nvmlDeviceGetClockInfo");
        find(maxClock, "nvmlDeviceGetMaxClockInfo");
        usable = complete;

        findIfThere(sliceMode, "nvmlDeviceGetMigMode");
        findIfThere(maxSlices, "nvmlDeviceGetMaxMigDeviceCount");
        findIfThere(sliceByIndex, "nvmlDeviceGetMigDeviceHandleByIndex");
        findIfThere(wholeOfSlice, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle");
        findIfThere(power, "nvmlDeviceGetPowerUsage");
        findIfThere(powerLimit, "nvmlDeviceGetEnforcedPowerLimit");
        findIfThere(memoryErrors, "nvmlDeviceGetTotalEccErrors");
        findIfThere(processName, "nvmlSystemGetProcessName");
        findIfThere(createEvents, "nvmlEventSetCreate");
        findIfThere(freeEvents, "nvmlEventSetFree");
        findIfThere(registerEvents, "nvmlDeviceRegisterEvents");
        findIfThere(waitForEvent, "nvmlEventSetWait_v2");
        findIfThere(energy, "nvmlDeviceGetTotalEnergyConsumption");
        findIfThere(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
        findIfThere(processUtilization, "nvmlDeviceGetProcessUtilization");
        findIfThere(clockReasons, "nvmlDeviceGetCurrentClocksEventReasons");
        // Name of the function before driver 535.
        if (!clockReasons)
            findIfThere(clockReasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    }
    ~Functions()
    {
        if (events && freeEvents)
            freeEvents(events);
        if (initialized)
            shutdown();
        dlclose(library);
    }
    Functions(const Functions&) = delete;
    Functions& operator=(const Functions&) = delete;

    void* library;
    bool usable = false;
    bool initialized = false;
    Result (*initialize)() = nullptr;
    Result (*shutdown)() = nullptr;
    const char* (*errorString)(Result) = nullptr;
    Result (*driverVersion)(char*, unsigned) = nullptr;
    Result (*count)(unsigned*) = nullptr;
    Result (*handleByIndex)(unsigned, Handle*) = nullptr;
    Result (*handleByUuid)(const char*, Handle*) = nullptr;
    Result (*name)(Handle, char*, unsigned) = nullptr;
    Result (*uuid)(Handle, char*, unsigned) = nullptr;
    Result (*memoryInfo)(Handle, Memory*) = nullptr;
    Result (*utilization)(Handle, Utilization*) = nullptr;
    Result (*temperature)(Handle, unsigned, unsigned*) = nullptr;
    Result (*clock)(Handle, unsigned, unsigned*) = nullptr;
    Result (*maxClock)(Handle, unsigned, unsigned*) = nullptr;
    // The functions below are missing from some drivers.
    Result (*sliceMode)(Handle, unsigned* current, unsigned* pending) = nullptr;
    Result (*maxSlices)(Handle, unsigned*) = nullptr;
    Result (*sliceByIndex)(Handle, unsigned, Handle*) = nullptr;
    Result (*wholeOfSlice)(Handle, Handle*) = nullptr;
    Result (*power)(Handle, unsigned*) = nullptr;
    Result (*powerLimit)(Handle, unsigned*) = nullptr;
    Result (*memoryErrors)(Handle, unsigned type, unsigned counter, unsigned long long*) = nullptr;
    Result (*processName)(unsigned pid, char*, unsigned) = nullptr;
    Result (*createEvents)(Handle*) = nullptr;
    Result (*freeEvents)(Handle) = nullptr;
    Result (*registerEvents)(Handle, unsigned long long types, Handle events) = nullptr;
    Result (*waitForEvent)(Handle, EventData*, unsigned milliseconds) = nullptr;
    Result (*energy)(Handle, unsigned long long*) = nullptr;
    Result (*processes)(Handle, unsigned*, Process*) = nullptr;
    Result (*processUtilization)(Handle, ProcessUtilization*, unsigned*,
                                 unsigned long long lastSeen) = nullptr;
    Result (*clockReasons)(Handle, unsigned long long*) = nullptr;

    /// Returns the devices that CUDA offers for a GPU: its MIG instances if it is partitioned into some,
    /// otherwise the GPU itself.
    std::vector<Handle> partsOf(Handle gpu) const
    {
        constexpr unsigned enabled = 1;
        unsigned mode = 0;
        unsigned pending = 0;
        unsigned max = 0;
        if (!sliceMode || !maxSlices || !sliceByIndex || sliceMode(gpu, &mode, &pending) != success ||
            mode != enabled || maxSlices(gpu, &max) != success)
            return {gpu};
        std::vector<Handle> slices;
        for (unsigned index = 0; index < max; ++index) {
            if (Handle slice = nullptr; sliceByIndex(gpu, index, &slice) == success)
                slices.push_back(slice);
        }
        return slices;
    }

    /// Returns the GPU of a MIG instance, or the GPU itself: clocks and temperature exist for whole GPUs
    /// alone.
    Handle wholeOf(Handle handle) const
    {
        Handle whole = nullptr;
        return wholeOfSlice && wholeOfSlice(handle, &whole) == success ? whole : handle;
    }

    struct MemoryOf
    {
        Memory memory;
        bool isHosts = false;
    };
    /// Returns the memory of a GPU: the computer's main memory if the library reports none, since the GPU has
    /// no memory of its own.
    std::optional<MemoryOf> memoryOf(Handle handle) const
    {
        Memory memory;
        const Result result = memoryInfo(handle, &memory);
        if (result == success)
            return MemoryOf{.memory = memory};
        if (result != notSupported)
            return std::nullopt;
        const HostMemory host = hostMemory();
        memory.total = static_cast<unsigned long long>(host.total);
        memory.free = static_cast<unsigned long long>(host.available);
        memory.used = memory.total - std::min(memory.free, memory.total);
        return MemoryOf{.memory = memory, .isHosts = true};
    }

    std::optional<std::vector<Process>> processesOn(Handle handle) const
    {
        if (!processes)
            return std::nullopt;
        // Processes may start between two calls, so there is room for more than were ever seen to share a
        // GPU.
        std::vector<Process> found(256);
        auto count = static_cast<unsigned>(found.size());
        if (processes(handle, &count, found.data()) != success)
            return std::nullopt;
        found.resize(count);
        return found;
    }

    /// Returns NvidiaCondition::othersShare at this moment.
    std::optional<double> shareOfOthers(Handle handle, unsigned own) const
    {
        if (!processUtilization)
            return std::nullopt;
        const auto recent = std::chrono::system_clock::now() - std::chrono::seconds(1);
        const auto lastSeen = static_cast<unsigned long long>(
            std::chrono::duration_cast<std::chrono::microseconds>(recent.time_since_epoch()).count());
        unsigned count = 0;
        Result result = processUtilization(handle, nullptr, &count, lastSeen);
        std::vector<ProcessUtilization> samples(count);
        if (result == success || result == insufficientSize)
            result = processUtilization(handle, samples.data(), &count, lastSeen);
        // NVML_ERROR_NOT_FOUND (no samples) is not evidence of an idle GPU: this program itself has used it.
        if (result != success)
            return std::nullopt;
        samples.resize(std::min<std::size_t>(count, samples.size()));
        unsigned percent = 0;
        for (const ProcessUtilization& sample : samples) {
            // Some drivers also return old samples, and samples that were never written (nvtop's issue 110).
            if (sample.pid != own && sample.time > lastSeen && sample.sm <= 100)
                percent += sample.sm;
        }
        return std::min(1.0, percent / 100.0);
    }

    std::string nameOf(unsigned pid) const
    {
        Text name{};
        if (!processName || processName(pid, name.data(), textBytes) != success)
            return {};
        const std::string path = textOf(name);
        return path.substr(path.rfind('/') + 1);
    }

    /// Returns the newest error of the device since this function was first called for it.
    std::optional<int> xidOf(Handle device)
    {
        if (!createEvents || !registerEvents || !waitForEvent)
            return std::nullopt;
        const std::scoped_lock lock(eventMutex);
        if (!events && createEvents(&events) != success)
            return std::nullopt;
        const auto [place, isNew] = xids.try_emplace(device);
        if (isNew)
            registerEvents(device, xidEvent, events);
        EventData event;
        while (waitForEvent(events, &event, 0) == success) {
            if (event.type == xidEvent)
                xids[event.device] = static_cast<int>(event.data);
        }
        return place->second;
    }

    std::mutex eventMutex;
    Handle events = nullptr;
    std::map<Handle, std::optional<int>> xids;
};

NvidiaLibrary::NvidiaLibrary(const std::string& library)
{
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char* reason = dlerror();
        m_problem = "The NVIDIA management library cannot be loaded, so no GPU is offered: ";
        m_problem += reason ? reason : library.c_str();
        return;
    }
    auto functions = std::make_unique<Functions>(handle);
    if (!functions->usable) {
        m_problem = "The NVIDIA management library " + library +
                    " lacks functions that every driver since 2021 has; update the NVIDIA driver to use "
                    "the GPU.";
        return;
    }
    const Result result = functions->initialize();
    if (result != success) {
        m_problem = "The NVIDIA driver cannot be asked for its devices: ";
        m_problem += functions->errorString(result);
        return;
    }
    functions->initialized = true;
    m_functions = std::move(functions);
}

NvidiaLibrary::~NvidiaLibrary() = default;

std::vector<LocalDevice> NvidiaLibrary::devices() const
{
    std::vector<LocalDevice> devices;
    unsigned count = 0;
    if (!m_functions || m_functions->count(&count) != success)
        return devices;

    Text driver{};
    m_functions->driverVersion(driver.data(), textBytes);
    for (unsigned index = 0; index < count; ++index) {
        Handle gpu = nullptr;
        if (m_functions->handleByIndex(index, &gpu) != success)
            continue;
        for (const Handle handle : m_functions->partsOf(gpu)) {
            Text uuid{};
            if (m_functions->uuid(handle, uuid.data(), textBytes) != success)
                continue;
            Text name{};
            m_functions->name(handle, name.data(), textBytes);
            const auto [memory, isHosts] = m_functions->memoryOf(handle).value_or(Functions::MemoryOf());
            devices.push_back({.kind = "cuda",
                               .index = static_cast<int>(devices.size()),
                               .name = textOf(name),
                               .uuid = textOf(uuid),
                               .totalBytes = static_cast<std::int64_t>(memory.total),
                               .freeBytes = static_cast<std::int64_t>(memory.free),
                               .sharesHostMemory = isHosts,
                               .driver = textOf(driver)});
        }
    }
    return devices;
}

DeviceReadings NvidiaLibrary::readings(const std::string& uuid) const
{
    DeviceReadings readings;
    Handle handle = nullptr;
    if (!m_functions || m_functions->handleByUuid(uuid.c_str(), &handle) != success)
        return readings;

    const Handle whole = m_functions->wholeOf(handle);
    Utilization utilization;
    if (m_functions->utilization(handle, &utilization) == success)
        readings.utilizationPercent = static_cast<int>(utilization.gpu);
    unsigned value = 0;
    if (m_functions->temperature(whole, temperatureOfGpu, &value) == success)
        readings.temperatureCelsius = static_cast<int>(value);
    if (m_functions->clock(whole, clockOfSm, &value) == success)
        readings.clockMegahertz = static_cast<int>(value);
    if (m_functions->maxClock(whole, clockOfSm, &value) == success)
        readings.maxClockMegahertz = static_cast<int>(value);
    if (m_functions->power && m_functions->power(handle, &value) == success)
        readings.powerWatts = thousandthsOf(value);
    if (m_functions->powerLimit && m_functions->powerLimit(handle, &value) == success)
        readings.powerLimitWatts = thousandthsOf(value);
    unsigned long long large = 0;
    if (m_functions->clockReasons && m_functions->clockReasons(whole, &large) == success)
        readings.throttle = throttleOf(large);
    if (m_functions->memoryErrors &&
        m_functions->memoryErrors(whole, uncorrected, volatileCount, &large) == success)
        readings.uncorrectedErrors = static_cast<std::int64_t>(large);
    if (const auto of = m_functions->memoryOf(handle))
        readings.usedBytes = static_cast<std::int64_t>(of->memory.used);
    if (const auto processes = m_functions->processesOn(handle)) {
        readings.processes.emplace();
        for (const Process& process : *processes)
            readings.processes->push_back(
                {.pid = process.pid,
                 .name = m_functions->nameOf(process.pid),
                 .bytes = process.usedMemory == unknownBytes
                              ? std::nullopt
                              : std::optional(static_cast<std::int64_t>(process.usedMemory))});
    }
    readings.xid = m_functions->xidOf(whole);
    return readings;
}

NvidiaCondition NvidiaLibrary::condition(const std::string& uuid) const
{
    NvidiaCondition condition;
    Handle handle = nullptr;
    if (!m_functions || m_functions->handleByUuid(uuid.c_str(), &handle) != success)
        return condition;

    const Handle whole = m_functions->wholeOf(handle);
    unsigned value = 0;
    if (m_functions->clock(whole, clockOfSm, &value) == success)
        condition.clockMegahertz = value;
    if (m_functions->temperature(whole, temperatureOfGpu, &value) == success)
        condition.temperatureCelsius = value;
    if (m_functions->power && m_functions->power(handle, &value) == success)
        condition.powerWatts = thousandthsOf(value);
    unsigned long long large = 0;
    if (m_functions->clockReasons && m_functions->clockReasons(whole, &large) == success)
        condition.clockReasons = large;
    if (m_functions->energy && m_functions->energy(handle, &large) == success)
        condition.energyJoules = thousandthsOf(large);
    if (const auto processes = m_functions->processesOn(handle)) {
        condition.processes.emplace();
        for (const Process& process : *processes)
            condition.processes->insert(process.pid);
        const auto own = static_cast<unsigned>(getpid());
        if (condition.processes->contains(own))
            condition.othersShare = m_functions->shareOfOthers(handle, own);
    }
    return condition;
}

} // namespace batchpeak::device
