// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Replaces NVIDIA's management library (NVML). It has FAKE_NVML_COUNT devices, two by default; the second one
// does not support any reading. These environment variables set the rest:
//
//     FAKE_NVML_SLICES       number of MIG slices of the first device
//     FAKE_NVML_FAILS        makes the initialization fail
//     FAKE_NVML_MEBIBYTES    total memory of the first device and of slices, all of it free
//     FAKE_NVML_XID          XID error that the driver reports once
//     FAKE_NVML_UTILIZATION  samples of the first device: process id, utilization of the multiprocessors in
//                            percent and, optionally, age in seconds: "10:30,11:40:5"
//     FAKE_NVML_PROCESSES    ids of the processes on the first device: "10,11"; a process with an odd id
//                            holds as many bytes as its id, and the memory of others is unknown
//
// FAKE_NVML_CLOCK, _POWER, _POWER_LIMIT, _ENERGY, _REASONS and _ERRORS are readings of the first device in
// the units of the library. Without its variable, a reading is not supported; only the clock has a default.

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int notSupported = 3;
constexpr int notFound = 6;
constexpr int insufficientSize = 7;
constexpr int timedOut = 10;
/// XID of the pending error; 0 if there is none.
int xids = 0;
int first = 0;
int second = 0;
std::array<int, 2> slices{};

bool isSlice(void* handle)
{
    return handle == &slices[0] || handle == &slices[1];
}

int numberIn(const char* variable, int otherwise)
{
    const char* text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
}

/// Reads a value of the first device from an environment variable.
/// \return success if the variable is set and the device is the first one
template<typename Value>
int readVariable(const char* variable, void* handle, Value* value)
{
    const char* text = std::getenv(variable);
    if (handle != &first || !text)
        return notSupported;
    *value = static_cast<Value>(std::strtoull(text, nullptr, 0));
    return success;
}

int give(const char* text, char* buffer, unsigned size)
{
    std::strncpy(buffer, text, size);
    return success;
}

} // namespace

extern "C" {

struct FakeMemory
{
    unsigned long long total, free, used;
};
struct FakeUtilization
{
    unsigned gpu, memory;
};
struct FakeProcess
{
    unsigned pid;
    unsigned long long usedMemory;
    unsigned gpuInstance, computeInstance;
};
struct FakeProcessUtilization
{
    unsigned pid;
    unsigned long long time;
    unsigned sm, memory, encoder, decoder;
};
struct FakeEvent
{
    void* device;
    unsigned long long type, data;
    unsigned gpuInstance, computeInstance;
};

int nvmlInit_v2()
{
    return std::getenv("FAKE_NVML_FAILS") ? notSupported : success;
}
int nvmlShutdown()
{
    return success;
}
const char* nvmlErrorString(int)
{
    return "Not Supported";
}
int nvmlSystemGetDriverVersion(char* buffer, unsigned size)
{
    return give("550.1", buffer, size);
}
int nvmlDeviceGetCount_v2(unsigned* count)
{
    *count = static_cast<unsigned>(numberIn("FAKE_NVML_COUNT", 2));
    return success;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle)
{
    *handle = index == 0 ? &first : &second;
    return success;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle)
{
    if (std::strcmp(uuid, "GPU-first") == 0)
        *handle = &first;
    else if (std::strcmp(uuid, "GPU-second") == 0)
        *handle = &second;
    else if (std::strcmp(uuid, "MIG-one") == 0)
        *handle = &slices[0];
    else if (std::strcmp(uuid, "MIG-two") == 0)
        *handle = &slices[1];
    else
        return notFound;
    return success;
}
int nvmlDeviceGetMigMode(void* handle, unsigned* current, unsigned* pending)
{
    *current = *pending = handle == &first && numberIn("FAKE_NVML_SLICES", 0) > 0 ? 1 : 0;
    return handle == &first ? success : notSupported;
}
int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count)
{
    *count = 7;
    return success;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** handle)
{
    if (static_cast<int>(index) >= numberIn("FAKE_NVML_SLICES", 0))
        return notFound;
    *handle = &slices.at(index);
    return success;
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* handle, void** whole)
{
    *whole = &first;
    return isSlice(handle) ? success : notSupported;
}
int nvmlDeviceGetName(void* handle, char* buffer, unsigned size)
{
    if (isSlice(handle))
        return give("Fake H200 MIG 1g.18gb", buffer, size);
    return give(handle == &first ? "Fake H200" : "Fake RTX", buffer, size);
}
int nvmlDeviceGetUUID(void* handle, char* buffer, unsigned size)
{
    if (isSlice(handle))
        return give(handle == &slices[0] ? "MIG-one" : "MIG-two", buffer, size);
    return give(handle == &first ? "GPU-first" : "GPU-second", buffer, size);
}
int nvmlDeviceGetMemoryInfo(void* handle, FakeMemory* memory)
{
    if (handle == &second)
        return notSupported;
    *memory = isSlice(handle) ? FakeMemory{100, 90, 10} : FakeMemory{1000, 600, 400};
    // All memory is free, as on the simulated GPU before its first context.
    if (const auto whole = static_cast<unsigned long long>(numberIn("FAKE_NVML_MEBIBYTES", 0)); whole > 0)
        *memory = {whole << 20, whole << 20, 0};
    return success;
}
int nvmlDeviceGetUtilizationRates(void* handle, FakeUtilization* utilization)
{
    *utilization = {87, 12};
    return handle == &first ? success : notSupported;
}
int nvmlDeviceGetTemperature(void* handle, unsigned sensor, unsigned* value)
{
    *value = 61;
    return handle == &first && sensor == 0 ? success : notSupported;
}
int nvmlDeviceGetClockInfo(void* handle, unsigned clock, unsigned* value)
{
    *value = 1755;
    readVariable("FAKE_NVML_CLOCK", handle, value);
    return handle == &first && clock == 1 ? success : notSupported;
}
int nvmlDeviceGetMaxClockInfo(void* handle, unsigned clock, unsigned* value)
{
    *value = 1980;
    return handle == &first && clock == 1 ? success : notSupported;
}
int nvmlDeviceGetPowerUsage(void* handle, unsigned* milliwatts)
{
    return readVariable("FAKE_NVML_POWER", handle, milliwatts);
}
int nvmlDeviceGetEnforcedPowerLimit(void* handle, unsigned* milliwatts)
{
    return readVariable("FAKE_NVML_POWER_LIMIT", handle, milliwatts);
}
int nvmlDeviceGetTotalEccErrors(void* handle, unsigned type, unsigned counter, unsigned long long* count)
{
    const bool isWanted = type == 1 && counter == 0;
    return isWanted ? readVariable("FAKE_NVML_ERRORS", handle, count) : notSupported;
}
int nvmlSystemGetProcessName(unsigned pid, char* buffer, unsigned size)
{
    return pid == 1 ? notFound : give("/usr/bin/trainer", buffer, size);
}
int nvmlEventSetCreate(void** events)
{
    *events = &xids;
    return success;
}
int nvmlEventSetFree(void*)
{
    return success;
}
int nvmlDeviceRegisterEvents(void* handle, unsigned long long types, void* events)
{
    const bool isWanted = handle == &first && types == 8 && events == &xids;
    if (isWanted)
        xids = numberIn("FAKE_NVML_XID", 0);
    return isWanted ? success : notSupported;
}
int nvmlEventSetWait_v2(void* events, FakeEvent* event, unsigned milliseconds)
{
    if (events != &xids || milliseconds != 0 || xids == 0)
        return timedOut;
    *event = {&first, 8, static_cast<unsigned long long>(xids), ~0U, ~0U};
    xids = 0;
    return success;
}
int nvmlDeviceGetTotalEnergyConsumption(void* handle, unsigned long long* millijoules)
{
    return readVariable("FAKE_NVML_ENERGY", handle, millijoules);
}
int nvmlDeviceGetCurrentClocksEventReasons(void* handle, unsigned long long* reasons)
{
    return readVariable("FAKE_NVML_REASONS", handle, reasons);
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned* count, FakeProcess* processes)
{
    const char* text = std::getenv("FAKE_NVML_PROCESSES");
    if (handle != &first || !text)
        return notSupported;
    unsigned found = 0;
    for (char* rest = const_cast<char*>(text); *rest != '\0'; rest += *rest == ',' ? 1 : 0) {
        if (found == *count)
            return insufficientSize;
        const auto pid = static_cast<unsigned>(std::strtoul(rest, &rest, 10));
        processes[found++] = {pid, pid % 2 == 1 ? pid : ~0ULL, ~0U, ~0U};
    }
    *count = found;
    return success;
}
/// Works like real drivers: a query of the count returns the room for all samples, and the result includes
/// old samples if any sample is newer than \p lastSeen.
int nvmlDeviceGetProcessUtilization(void* handle, FakeProcessUtilization* samples, unsigned* count,
                                    unsigned long long lastSeen)
{
    const char* text = std::getenv("FAKE_NVML_UTILIZATION");
    if (handle != &first || !text)
        return notSupported;
    constexpr unsigned room = 100;
    if (!samples || *count < room) {
        *count = room;
        return insufficientSize;
    }
    using std::chrono::microseconds;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto isNow = static_cast<unsigned long long>(std::chrono::duration_cast<microseconds>(now).count());
    unsigned found = 0;
    bool isFresh = false;
    for (char* rest = const_cast<char*>(text); *rest != '\0'; rest += *rest == ',' ? 1 : 0) {
        const auto pid = static_cast<unsigned>(std::strtoul(rest, &rest, 10));
        const auto percent = static_cast<unsigned>(std::strtoul(rest + 1, &rest, 10));
        const unsigned long long age = *rest == ':' ? std::strtoull(rest + 1, &rest, 10) : 0;
        samples[found++] = {pid, isNow - 1000000 * age, percent, 0, 0, 0};
        isFresh = isFresh || samples[found - 1].time > lastSeen;
    }
    *count = found;
    return isFresh ? success : notFound;
}
}
