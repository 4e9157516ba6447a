// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Stands in for NVIDIA's management library: two devices, the second of which refuses every reading.
// FAKE_NVML_FAILS makes its initialisation fail.

#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int notSupported = 3;
constexpr int notFound = 6;
int first = 0;
int second = 0;

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
    *count = 2;
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
    else
        return notFound;
    return success;
}
int nvmlDeviceGetName(void* handle, char* buffer, unsigned size)
{
    return give(handle == &first ? "Fake H200" : "Fake RTX", buffer, size);
}
int nvmlDeviceGetUUID(void* handle, char* buffer, unsigned size)
{
    return give(handle == &first ? "GPU-first" : "GPU-second", buffer, size);
}
int nvmlDeviceGetMemoryInfo(void* handle, FakeMemory* memory)
{
    if (handle != &first)
        return notSupported;
    *memory = {1000, 600, 400};
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
    return handle == &first && clock == 1 ? success : notSupported;
}
int nvmlDeviceGetMaxClockInfo(void* handle, unsigned clock, unsigned* value)
{
    *value = 1980;
    return handle == &first && clock == 1 ? success : notSupported;
}
}
