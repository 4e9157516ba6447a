// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulated_device.h"

#include "settings.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <vector>

namespace batchpeak::simulated_gpu {

namespace {

// Duration of an empty kernel on an H100 (others measured 2 to 3 us).
constexpr double emptyKernelSeconds = 2e-6;

thread_local int current = 0;

/// Returns the text of an error code in driver_types.h, as libtorch 2.11 words it, for the codes that tests
/// use.
const char* textOf(int code)
{
    switch (code) {
    case 700:
        return "an illegal memory access was encountered";
    case 710:
        return "device-side assert triggered";
    default:
        return "unspecified launch failure";
    }
}

[[noreturn]] void throwAcceleratorError(int code)
{
    throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, code,
                                std::string("CUDA error: ") + textOf(code) +
                                    "\nCUDA kernel errors might be asynchronously reported at some other API "
                                    "call, so the stacktrace below might be incorrect.");
}

} // namespace

Device::Device(int index) : m_index(index), m_timeline(settings().launchSeconds), m_allocator(m_driver) {}

DriverMemory::Info Device::memory()
{
    use();
    return m_driver.info();
}

void Device::use()
{
    if (std::exchange(m_used, true))
        return;
    TORCH_CHECK_WITH(OutOfMemoryError, m_driver.take(settings().contextBytes), "CUDA error: out of memory");
}

void Device::check() const
{
    if (m_failure != 0)
        throwAcceleratorError(m_failure);
}

void Device::launch(double bytes, double flops)
{
    use();
    check();
    const double seconds =
        emptyKernelSeconds + std::max(bytes / settings().bytesPerSecond, flops / settings().flopsPerSecond);
    m_timeline.launch(seconds);
    // Kernels are asynchronous, so the failure appears in the next call.
    if (++m_kernels == settings().failingKernel)
        m_failure = settings().failingCode;
}

std::string uuidOf(int physicalIndex)
{
    return physicalIndex == 0 ? "GPU-first" : "GPU-second";
}

int visibleDevices()
{
    if (settings().initializationError != 0)
        return 0;
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (!visible)
        return settings().devices;
    // Like CUDA, counts devices up to the first one that does not exist.
    int count = 0;
    std::istringstream words(visible);
    for (std::string word; std::getline(words, word, ',');) {
        const auto names = [&word](int index) {
            return word == std::to_string(index) || word == uuidOf(index);
        };
        bool found = false;
        for (int index = 0; index < settings().devices; ++index)
            found = found || names(index);
        if (!found)
            break;
        ++count;
    }
    return count;
}

Device& device(int index)
{
    static std::vector<std::unique_ptr<Device>> devices = [] {
        std::vector<std::unique_ptr<Device>> all;
        for (int i = 0; i < visibleDevices(); ++i)
            all.push_back(std::make_unique<Device>(i));
        return all;
    }();
    return *devices.at(static_cast<std::size_t>(index));
}

int currentDevice()
{
    return current;
}

void setCurrentDevice(int index)
{
    current = index;
}

} // namespace batchpeak::simulated_gpu
