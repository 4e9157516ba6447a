// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Stands in for NVIDIA's management library: two devices, or FAKE_NVML_COUNT of them, the second of which
// refuses every reading. With FAKE_NVML_SLICES the first is cut into so many. FAKE_NVML_FAILS makes its
// initialisation fail; FAKE_NVML_CLOCK, _POWER, _ENERGY, _REASONS and _PROCESSES
// ("10,11") are what the first one reads, in the library's units, and refuses where they are not set.

#include <array>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int notSupported = 3;
constexpr int notFound = 6;
constexpr int insufficientSize = 7;
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

/// \return success where the variable is set, and the device is the first
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
    // All of it free, as the simulated GPU has it before its first context.
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
        processes[found++] = {static_cast<unsigned>(std::strtoul(rest, &rest, 10)), ~0ULL, ~0U, ~0U};
    }
    *count = found;
    return success;
}
}
