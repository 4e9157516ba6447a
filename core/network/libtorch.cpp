// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "libtorch.h"

#include "device/control_group.h"
#include "device/local_device.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <dlfcn.h>

namespace batchpeak::network {

namespace {

constexpr std::string_view compiledVersion = TORCH_VERSION;

/// Thread pools of libtorch: its own and OpenMP's. Each has a thread for each core except that of the thread
/// that waits for it.
constexpr int poolsOfLibtorch = 2;

/// Captures libtorch's warnings while it lives, instead of printing them to stderr.
class HeardWarnings final : public c10::WarningHandler
{
public:
    HeardWarnings() : m_guard(this) {}
    void process(const c10::Warning& warning) override { m_text = warning.msg(); }
    const std::string& text() const { return m_text; }

private:
    c10::WarningUtils::WarningHandlerGuard m_guard;
    std::string m_text;
};

std::string versionText(std::uint64_t version)
{
    return std::to_string(version >> 56) + "." + std::to_string(version >> 48 & 0xff) + "." +
           std::to_string(version >> 40 & 0xff);
}

// Intel's Software Developer's Manual, volume 2A, CPUID: bit 24 of EDX in leaf 7 is AMX-TILE; EAX in leaf
// 0x1D is the highest palette of tile shapes.
bool announcesTilesWithoutShape()
{
#ifdef __x86_64__
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    constexpr unsigned featureLeaf = 7;
    constexpr unsigned tileLeaf = 0x1d;
    constexpr unsigned tileBit = 1U << 24;
    if (!__get_cpuid_count(featureLeaf, 0, &eax, &ebx, &ecx, &edx) || !(edx & tileBit))
        return false;
    return !__get_cpuid_count(tileLeaf, 0, &eax, &ebx, &ecx, &edx) || eax == 0;
#else
    return false;
#endif
}

/// Returns 0 if the system does not report it.
std::ptrdiff_t threadsOfProcess()
{
    std::error_code error;
    const std::filesystem::directory_iterator threads("/proc/self/task", error);
    return error ? 0 : std::distance(begin(threads), end(threads));
}

/// Waits until the system no longer counts threads that have ended, which it does for a moment.
void waitForThreadsToGo(std::ptrdiff_t left)
{
    constexpr int maxLooks = 1000;
    constexpr std::chrono::milliseconds betweenLooks{1};
    for (int look = 0; threadsOfProcess() > left && look < maxLooks; ++look)
        std::this_thread::sleep_for(betweenLooks);
}

/// Checks that so many threads can be started. If one is missing, libtorch's pool would wait for it for ever,
/// and OpenMP's would end the process (torch 2.11.0).
/// \throws std::runtime_error  if so many threads cannot exist at once
void requireThreads(int count)
{
    const std::ptrdiff_t before = threadsOfProcess();
    {
        std::promise<void> end;
        const std::shared_future<void> ended = end.get_future().share();
        std::vector<std::jthread> threads;
        try {
            while (std::ssize(threads) < count)
                threads.emplace_back([ended] { ended.get(); });
        } catch (const std::system_error& error) {
            end.set_value();
            throw std::runtime_error("The worker could not make " + std::to_string(count) +
                                     (count == 1 ? " thread: " : " threads: ") + error.code().message() +
                                     ". Raise the limit of processes (ulimit -u, docker --pids-limit).");
        }
        end.set_value();
    }
    waitForThreadsToGo(before);
}

} // namespace

AcceleratorLibrary loadAcceleratorLibrary()
{
    AcceleratorLibrary library;
    // The library takes 240 MiB, so it is not loaded without a driver.
    if (!device::nvidiaDriverIsPresent())
        return library;
    // The library is never closed: libtorch keeps pointers into it.
    if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL)) {
        const char* reason = dlerror();
        library.problem = "An NVIDIA driver is here, but libtorch's part for it cannot be loaded (" +
                          std::string(reason ? reason : "no reason given") +
                          "). Install torch " TORCH_VERSION " with all its packages to use the GPU.";
        return library;
    }
    // If a driver is too old or does not answer, libtorch does not throw but warns.
    const HeardWarnings warnings;
    // libtorch counts devices in a signed char. NOLINTNEXTLINE(bugprone-signed-char-misuse)
    library.devices = at::accelerator::deviceCount();
    if (library.devices > 0)
        return library;
    library.problem = "An NVIDIA driver is here, but it offers no device to this process. ";
    library.problem += warnings.text().empty() ? "Check nvidia-smi and CUDA_VISIBLE_DEVICES."
                                               : "libtorch says: " + warnings.text();
    return library;
}

std::optional<std::string> problemWithLibtorch()
{
    const std::string loaded = versionText(aoti_torch_abi_version());
    if (loaded == versionText(TORCH_ABI_VERSION))
        return std::nullopt;
    return "This worker is built for libtorch " + std::string(compiledVersion) + ", but " + loaded +
           " was loaded, whose memory statistics it would misread. Install torch " +
           std::string(compiledVersion) + ", or build Batchpeak anew.";
}

std::string libtorchName()
{
    return "libtorch " + versionText(aoti_torch_abi_version());
}

int useAllCores()
{
    at::init_num_threads();
    int threads = at::get_num_threads();
    if (const auto quota = device::ControlGroup().processors())
        threads = std::clamp(static_cast<int>(std::ceil(*quota)), 1, threads);
    requireThreads(poolsOfLibtorch * (threads - 1));
    at::set_num_threads(threads);
    return threads;
}

void avoidUndescribedTileUnit()
{
    constexpr int keepTheUsersChoice = 0;
    if (announcesTilesWithoutShape())
        setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16", keepTheUsersChoice);
}

} // namespace batchpeak::network
