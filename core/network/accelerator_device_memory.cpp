// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator_device_memory.h"

#include "cpu_device_memory.h"
#include "device/host_memory.h"
#include "failure.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/ops/empty.h>
#include <c10/core/AllocatorConfig.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>

namespace batchpeak::network {

namespace {

// The caching allocator takes memory from the driver in blocks of 2 MiB and more: a check of the limit has to
// request clearly more than is left (kLargeBuffer, 20 MiB).
constexpr std::int64_t clearlyMore = std::int64_t{64} << 20;
constexpr std::int64_t blockBytes = std::int64_t{2} << 20;
constexpr std::string_view fractionKey = "per_process_memory_fraction:";

c10::Device torchDevice(DeviceId device)
{
    return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device.index)};
}

std::string fractionText(double fraction)
{
    std::array<char, 32> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), fraction, std::chars_format::fixed, 9);
    return {digits.data(), end.ptr};
}

/// Returns the fraction of the device's memory that the user's own settings allow a process: 0..1.
double fractionIn(const std::string& settings)
{
    const std::size_t key = settings.rfind(fractionKey);
    double fraction = 1.0;
    if (key != std::string::npos)
        std::from_chars(settings.data() + key + fractionKey.size(), settings.data() + settings.size(),
                        fraction);
    return fraction;
}

} // namespace

AcceleratorDeviceMemory::AcceleratorDeviceMemory(DeviceId device, bool sharesHostMemory)
    : m_device(device), m_sharesHostMemory(sharesHostMemory)
{
    // libtorch counts devices in a signed char. NOLINTNEXTLINE(bugprone-signed-char-misuse)
    const int devices = at::accelerator::deviceCount();
    if (device.index < 0 || device.index >= devices) {
        throw std::runtime_error("There is no CUDA device " + std::to_string(device.index) +
                                 ": libtorch sees " + std::to_string(devices) +
                                 " of them. Choose another device, or the CPU.");
    }
    at::accelerator::setDeviceIndex(static_cast<c10::DeviceIndex>(device.index));
    m_allocator = c10::getDeviceAllocator(c10::DeviceType::CUDA);
    m_settings = c10::CachingAllocator::getAllocatorSettings();
    m_largestLimit = static_cast<std::int64_t>(fractionIn(m_settings) * static_cast<double>(totalBytes()));
    m_limit = std::min(freeBytes(), m_largestLimit);
}

DeviceId AcceleratorDeviceMemory::device() const
{
    return m_device;
}

std::int64_t AcceleratorDeviceMemory::totalBytes() const
{
    return static_cast<std::int64_t>(m_allocator->getMemoryInfo(torchDevice(m_device).index()).second);
}

std::int64_t AcceleratorDeviceMemory::freeBytes() const
{
    if (m_sharesHostMemory)
        return std::min(totalBytes(), tensorBytesWithin(device::hostMemory().available));
    return static_cast<std::int64_t>(m_allocator->getMemoryInfo(torchDevice(m_device).index()).first);
}

void AcceleratorDeviceMemory::setLimit(std::int64_t bytes)
{
    m_ballast.clear();
    m_ballastBytes = 0;
    emptyCache();
    const std::int64_t possible = std::min(reservedBytes() + freeBytes(), m_largestLimit);
    m_limit = bytes > 0 ? std::min(bytes, possible) : possible;
    const bool isFirst = !m_allocator->initialized();
    if (isFirst)
        limitByFraction();
    if (m_sharesHostMemory)
        return;
    const std::int64_t surplus = (possible - m_limit) / blockBytes * blockBytes;
    if (surplus <= clearlyMore || refuses(m_limit - reservedBytes() + clearlyMore))
        return;
    // An allocator that does not obey a fraction leaves larger limits possible.
    if (isFirst)
        m_largestLimit = totalBytes();
    m_ballast = m_allocator->allocate(static_cast<std::size_t>(surplus));
    m_ballastBytes = surplus;
}

void AcceleratorDeviceMemory::limitByFraction()
{
    m_largestLimit = m_limit;
    const double fraction = static_cast<double>(m_limit) / static_cast<double>(totalBytes());
    const std::string ours = std::string(fractionKey) + fractionText(std::min(1.0, fraction));
    // Settings that are not named are reset, so the user's are repeated. The last of two fractions counts.
    c10::CachingAllocator::setAllocatorSettings(m_settings.empty() ? ours : m_settings + "," + ours);
    // The first tensor makes the caching allocator, which then reads the setting.
    at::empty({1}, at::TensorOptions(torchDevice(m_device)));
}

bool AcceleratorDeviceMemory::refuses(std::int64_t bytes)
{
    const auto before = statistics();
    bool refused = false;
    try {
        m_allocator->allocate(static_cast<std::size_t>(bytes));
    } catch (const std::exception& error) {
        const Failure failure = classifyFailure(error, *this, before.num_ooms);
        if (failure.outcome != trial::Outcome::OutOfMemory)
            throw;
        refused = true;
    }
    emptyCache();
    const auto after = statistics();
    m_provokedRefusals += after.num_ooms - before.num_ooms;
    m_provokedRetries += after.num_alloc_retries - before.num_alloc_retries;
    return refused;
}

std::int64_t AcceleratorDeviceMemory::limitBytes() const
{
    return m_limit;
}

c10::CachingDeviceAllocator::DeviceStats AcceleratorDeviceMemory::statistics() const
{
    // The allocator asserts when it is asked before the device's first use.
    if (!m_allocator->initialized())
        return {};
    return m_allocator->getDeviceStats(torchDevice(m_device).index());
}

std::int64_t AcceleratorDeviceMemory::allocatedBytes() const
{
    return statistics().allocated_bytes[0].current - m_ballastBytes;
}

std::int64_t AcceleratorDeviceMemory::reservedBytes() const
{
    return statistics().reserved_bytes[0].current - m_ballastBytes;
}

std::int64_t AcceleratorDeviceMemory::peakAllocatedBytes() const
{
    return statistics().allocated_bytes[0].peak - m_ballastBytes;
}

std::int64_t AcceleratorDeviceMemory::peakReservedBytes() const
{
    return statistics().reserved_bytes[0].peak - m_ballastBytes;
}

std::int64_t AcceleratorDeviceMemory::allocationRetries() const
{
    return statistics().num_alloc_retries - m_provokedRetries;
}

std::int64_t AcceleratorDeviceMemory::outOfMemoryCount() const
{
    return statistics().num_ooms - m_provokedRefusals;
}

void AcceleratorDeviceMemory::resetPeaks()
{
    if (m_allocator->initialized())
        m_allocator->resetPeakStats(torchDevice(m_device).index());
}

void AcceleratorDeviceMemory::emptyCache()
{
    if (m_allocator->initialized())
        m_allocator->emptyCache();
}

void AcceleratorDeviceMemory::synchronize()
{
    at::accelerator::synchronizeDevice(torchDevice(m_device).index());
}

} // namespace batchpeak::network
