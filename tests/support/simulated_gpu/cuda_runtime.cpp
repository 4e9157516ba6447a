// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Parts of CUDA that libtorch uses in addition to kernels: devices, streams and events, the caching allocator
// and its settings.

#include "settings.h"
#include "simulated_device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <array>
#include <cstdio>
#include <string>

namespace batchpeak::simulated_gpu {

namespace {

std::optional<double> memoryFraction;

/// Returns the number of devices. Like c10::cuda::device_count(), returns 0 and warns once if the driver
/// fails. The texts are those of libc10_cuda.so of torch 2.11.0.
int countDevices()
{
    static const bool hasWarned = [] {
        constexpr int insufficientDriver = 35;
        const int error = settings().initializationError;
        if (error == insufficientDriver) {
            TORCH_WARN("CUDA initialization: The NVIDIA driver on your system is too old (found version "
                       "12020). Please "
                       "update your GPU driver by downloading and installing a new version from the URL: "
                       "http://www.nvidia.com/Download/index.aspx");
        } else if (error != 0) {
            TORCH_WARN(
                "CUDA initialization: Unexpected error from cudaGetDeviceCount(). Did you run some cuda "
                "functions before calling NumCudaDevices() that might have already set an error? Error ",
                error, ": system has unsupported display driver / cuda driver combination");
        }
        return true;
    }();
    return hasWarned ? visibleDevices() : 0;
}

std::string sizeText(std::int64_t bytes)
{
    std::array<char, 40> text{};
    const double mebibytes = static_cast<double>(bytes) / static_cast<double>(1 << 20);
    if (mebibytes <= 1024.0)
        std::snprintf(text.data(), text.size(), "%.2f MiB", mebibytes);
    else
        std::snprintf(text.data(), text.size(), "%.2f GiB", mebibytes / 1024.0);
    return text.data();
}

/// Frees a block on its own device. Like CUDA, finds the device by the address: the current one may be
/// another.
void freeBlock(void* data)
{
    int index = 0;
    while (!device(index).allocator().free(data))
        ++index;
}

class DeviceAllocator final : public c10::DeviceAllocator
{
public:
    c10::DataPtr allocate(size_t bytes) override
    {
        const int index = currentDevice();
        const c10::Device torchDevice(c10::kCUDA, static_cast<c10::DeviceIndex>(index));
        if (bytes == 0)
            return {nullptr, torchDevice};
        Device& on = device(index);
        on.use();
        on.check();
        readLimit();
        void* const data = on.allocator().allocate(static_cast<std::int64_t>(bytes));
        if (!data)
            refuse(on, static_cast<std::int64_t>(bytes));
        return {data, data, &deleteData, torchDevice};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &deleteData; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override
    {
        default_copy_data(to, from, bytes);
    }
    bool initialized() override { return m_initialized; }
    void emptyCache(c10::MempoolId_t) override { device(currentDevice()).allocator().emptyCache(); }
    void recordStream(const c10::DataPtr&, c10::Stream) override {}
    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex index) override
    {
        TORCH_INTERNAL_ASSERT(m_initialized, "Allocator not initialized for device ",
                              static_cast<int>(index));
        const CachingAllocator::Counts counts = device(index).allocator().counts();
        c10::CachingDeviceAllocator::DeviceStats stats;
        stats.allocated_bytes[0].current = counts.allocated.current;
        stats.allocated_bytes[0].peak = counts.allocated.peak;
        stats.reserved_bytes[0].current = counts.reserved.current;
        stats.reserved_bytes[0].peak = counts.reserved.peak;
        stats.num_alloc_retries = counts.retries;
        stats.num_ooms = counts.refusals;
        return stats;
    }
    void resetAccumulatedStats(c10::DeviceIndex) override {}
    void resetPeakStats(c10::DeviceIndex index) override { device(index).allocator().resetPeaks(); }
    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override
    {
        const DriverMemory::Info info = device(index).memory();
        return {static_cast<std::size_t>(info.free), static_cast<std::size_t>(info.total)};
    }

private:
    static void deleteData(void* data)
    {
        if (data)
            freeBlock(data);
    }

    // Reads the setting only once, and for all devices, since the real allocator reads it only when it is
    // created.
    void readLimit()
    {
        if (std::exchange(m_initialized, true) || !memoryFraction)
            return;
        const auto limit =
            static_cast<std::int64_t>(*memoryFraction * static_cast<double>(settings().totalBytes));
        for (int index = 0; index < visibleDevices(); ++index)
            device(index).allocator().setLimit(limit);
    }

    [[noreturn]] static void refuse(Device& on, std::int64_t bytes)
    {
        if (settings().failsToNameHolders) {
            // This check fails before the refusal is counted. The text is exactly that of libc10_cuda.so of
            // torch 2.11.0.
            throw c10::Error(
                {__func__, __FILE__, __LINE__},
                "NVML_SUCCESS == r INTERNAL ASSERT FAILED at "
                "\"/pytorch/c10/cuda/CUDACachingAllocator.cpp\":1165, please report a bug to PyTorch. ");
        }
        on.allocator().countRefusal();
        const DriverMemory::Info info = on.memory();
        const CachingAllocator::Counts counts = on.allocator().counts();
        const std::string allowed =
            on.allocator().limit() ? sizeText(*on.allocator().limit()) + " allowed; " : std::string();
        TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", sizeText(bytes),
                         ". GPU ", on.index(), " has a total capacity of ", sizeText(info.total),
                         " of which ", sizeText(info.free), " is free. ", allowed, "Of the allocated memory ",
                         sizeText(counts.allocated.current), " is allocated by PyTorch, and ",
                         sizeText(counts.reserved.current - counts.allocated.current),
                         " is reserved by PyTorch but unallocated.");
    }

    bool m_initialized = false;
};

struct Event
{
    double moment = 0.0;
    bool timed = false;
};

class Guard final : public c10::impl::DeviceGuardImplInterface
{
public:
    c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
    c10::Device exchangeDevice(c10::Device to) const override
    {
        const c10::Device before = getDevice();
        setDevice(to);
        return before;
    }
    c10::Device getDevice() const override
    {
        return {c10::kCUDA, static_cast<c10::DeviceIndex>(currentDevice())};
    }
    void setDevice(c10::Device to) const override { setCurrentDevice(to.index()); }
    void uncheckedSetDevice(c10::Device to) const noexcept override { setCurrentDevice(to.index()); }
    c10::Stream getStream(c10::Device of) const override { return c10::Stream(c10::Stream::DEFAULT, of); }
    c10::Stream getDefaultStream(c10::Device of) const override { return getStream(of); }
    c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
    void destroyEvent(void* event, c10::DeviceIndex) const noexcept override
    {
        delete static_cast<Event*>(event);
    }
    void record(void** event, const c10::Stream& stream, c10::DeviceIndex, c10::EventFlag flag) const override
    {
        Device& on = device(stream.device_index());
        on.use();
        on.check();
        if (!*event)
            *event = new Event{.timed = flag == c10::EventFlag::BACKEND_DEFAULT};
        static_cast<Event*>(*event)->moment = on.timeline().end();
    }
    void block(void*, const c10::Stream&) const override {}
    bool queryEvent(void* event) const override
    {
        return !event || static_cast<Event*>(event)->moment <= device(currentDevice()).timeline().now();
    }
    c10::DeviceIndex deviceCount() const noexcept override
    {
        return static_cast<c10::DeviceIndex>(countDevices());
    }
    bool queryStream(const c10::Stream& stream) const override
    {
        Timeline& timeline = device(stream.device_index()).timeline();
        return timeline.end() <= timeline.now();
    }
    void synchronizeStream(const c10::Stream& stream) const override
    {
        synchronizeDevice(stream.device_index());
    }
    void synchronizeEvent(void*) const override { synchronizeDevice(getDevice().index()); }
    void synchronizeDevice(c10::DeviceIndex index) const override
    {
        device(index).timeline().synchronize();
        device(index).check();
    }
    double elapsedTime(void* first, void* second, c10::DeviceIndex) const override
    {
        const auto& begin = *static_cast<Event*>(first);
        const auto& end = *static_cast<Event*>(second);
        TORCH_CHECK(begin.timed && end.timed,
                    "Both events must be recorded with timing before their elapsed time.");
        constexpr double milliseconds = 1e3;
        return (end.moment - begin.moment) * milliseconds;
    }
};

/// Allocator of pinned memory, which is ordinary host memory here. CUDA's allocator keeps memory that the
/// device may still read until an event has passed, and a lost context cannot record events: the resulting
/// exception leaves a destructor and ends the process.
class PinnedAllocator final : public c10::Allocator
{
public:
    c10::DataPtr allocate(std::size_t bytes) override
    {
        void* const data = c10::GetAllocator(c10::kCPU)->raw_allocate(bytes);
        return {data, data, &release, c10::kCPU};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override
    {
        default_copy_data(to, from, bytes);
    }

private:
    static void release(void* data)
    {
        device(currentDevice()).check();
        c10::GetAllocator(c10::kCPU)->raw_deallocate(data);
    }
};

c10::Allocator* pinnedAllocator()
{
    static PinnedAllocator allocator;
    return &allocator;
}

} // namespace

} // namespace batchpeak::simulated_gpu

namespace at {

// CUDAHooksInterface.h requires the class to be in the namespace `at`.
struct SimulatedCudaHooks final : CUDAHooksInterface
{
    explicit SimulatedCudaHooks(CUDAHooksArgs) {}

    void init() const override {}
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return hasCUDA(); }
    bool hasCUDA() const override { return batchpeak::simulated_gpu::countDevices() > 0; }
    bool hasCUDART() const override { return true; }
    bool hasPrimaryContext(DeviceIndex) const override { return true; }
    int getNumGPUs() const override { return batchpeak::simulated_gpu::visibleDevices(); }
    DeviceIndex deviceCount() const override
    {
        return static_cast<DeviceIndex>(batchpeak::simulated_gpu::visibleDevices());
    }
    DeviceIndex current_device() const override
    {
        return static_cast<DeviceIndex>(batchpeak::simulated_gpu::currentDevice());
    }
    // Kernels use the CPU generator. CUDA's generator checks whether its stream is capturing when its state
    // is read or set, so it fails like every other call after the context is lost.
    const Generator& getDefaultGenerator(DeviceIndex index) const override
    {
        batchpeak::simulated_gpu::device(index < 0 ? batchpeak::simulated_gpu::currentDevice() : index)
            .check();
        return detail::getDefaultCPUGenerator();
    }
    Generator getNewGenerator(DeviceIndex) const override { return detail::createCPUGenerator(); }
    Allocator* getPinnedMemoryAllocator() const override
    {
        return batchpeak::simulated_gpu::pinnedAllocator();
    }
    bool isPinnedPtr(const void*) const override { return false; }
};

// libtorch looks up the hooks by this name.
C10_REGISTER_CLASS(CUDAHooksRegistry, CUDAHooks, SimulatedCudaHooks)

} // namespace at

namespace batchpeak::simulated_gpu {

namespace {

C10_REGISTER_GUARD_IMPL(CUDA, Guard)

const bool allocatorIsSet = [] {
    static DeviceAllocator allocator;
    c10::SetAllocator(c10::DeviceType::CUDA, &allocator);
    return true;
}();

const c10::CachingAllocator::DeviceConfigParserHookRegistry fractionParser(
    [](const std::string& text) {
        const c10::CachingAllocator::ConfigTokenizer tokens(text);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (tokens[i] != "per_process_memory_fraction") {
                i = tokens.skipKey(i) + 1;
                continue;
            }
            i += 2;
            memoryFraction = tokens.toDouble(i);
            ++i;
        }
    },
    {"per_process_memory_fraction", "backend", "pinned_use_cuda_host_register", "release_lock_on_cudamalloc",
     "graph_capture_record_stream_reuse", "pinned_num_register_threads", "pinned_reserve_segment_size_mb"});

} // namespace

} // namespace batchpeak::simulated_gpu

/// Returns the host time on the timeline of the first device, for tests.
extern "C" double batchpeak_simulated_gpu_seconds()
{
    return batchpeak::simulated_gpu::device(0).timeline().now();
}
