// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/local_device.h"
#include "network/device_memory.h"
#include "network/failure.h"
#include "network/libtorch.h"
#include "nvidia_gate.h"
#include "processor_gate.h"
#include "session.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

using namespace batchpeak;
using namespace batchpeak::worker;

namespace {

constexpr const char* program = "batchpeak-worker " BATCHPEAK_VERSION;

/// The command-line options of batchpeak-worker.
struct WorkerOptions
{
    network::DeviceId device;
    bool versionOnly = false;
    bool devicesOnly = false;
    /// Why the command line is invalid, as a full sentence; empty if it is valid.
    std::string problem;
};

std::optional<network::DeviceId> deviceFromText(std::string_view text)
{
    using network::DeviceKind;
    constexpr std::string_view numbered = "cuda:";
    if (text == "cpu")
        return network::DeviceId{.kind = DeviceKind::Cpu};
    if (text == "cuda")
        return network::DeviceId{.kind = DeviceKind::Cuda};
    if (!text.starts_with(numbered))
        return std::nullopt;
    text.remove_prefix(numbered.size());
    int index = -1;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), index);
    if (error != std::errc() || end != text.end() || index < 0)
        return std::nullopt;
    return network::DeviceId{.kind = DeviceKind::Cuda, .index = index};
}

/// \param arguments  words of the command line without the program's name
WorkerOptions parseWorkerOptions(std::span<const char* const> arguments)
{
    WorkerOptions options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string_view argument = arguments[i];
        if (argument == "--version") {
            options.versionOnly = true;
            continue;
        }
        if (argument == "--devices") {
            options.devicesOnly = true;
            continue;
        }
        constexpr std::string_view device = "--device";
        std::optional<std::string_view> word;
        if (argument == device && i + 1 < arguments.size())
            word = arguments[++i];
        else if (argument.starts_with("--device="))
            word = argument.substr(device.size() + 1);
        if (!word) {
            options.problem = "The option " + std::string(argument) +
                              " is unknown or has no value; --device cpu, --device cuda:N, --devices and "
                              "--version are known.";
        } else if (const auto id = deviceFromText(*word)) {
            options.device = *id;
        } else {
            options.problem = "The device " + std::string(*word) + " is unknown; use cpu, cuda or cuda:N.";
        }
    }
    return options;
}

/// Returns the device as the driver describes it; without a name if there are several, since this program
/// cannot know the order of CUDA's device numbers. The parent makes a single device visible to its worker.
device::LocalDevice localDevice(network::DeviceKind kind)
{
    const char* const word = kind == network::DeviceKind::Cpu ? "cpu" : "cuda";
    std::vector<device::LocalDevice> candidates = device::localDevices().devices;
    std::erase_if(candidates, [&](const device::LocalDevice& local) { return local.kind != word; });
    return candidates.size() == 1 ? candidates.front() : device::LocalDevice{.kind = word};
}

/// \param before  description of the device before this process used it
trial::DeviceDescription describe(const device::LocalDevice& before, const network::DeviceMemory& memory)
{
    const std::int64_t free = memory.freeBytes();
    const bool isGpu = before.kind == "cuda";
    const bool tellsContext = isGpu && !before.sharesHostMemory;
    return {.kind = before.kind,
            .name = before.name,
            .uuid = before.uuid,
            .totalBytes = memory.totalBytes(),
            .freeBytes = free,
            .contextBytes = tellsContext ? std::max<std::int64_t>(0, before.freeBytes - free) : 0,
            .limitBytes = isGpu && memory.limitBytes() < free ? memory.limitBytes() : 0,
            .allocatorSettings = memory.userSettings()};
}

/// Prints a "hello" for each device of this computer, without using any of them.
void printDevices()
{
    for (const device::LocalDevice& local : device::localDevices().devices) {
        const trial::WorkerHello hello{.program = program,
                                       .framework = network::libtorchName(),
                                       .device = {.kind = local.kind,
                                                  .name = local.name,
                                                  .uuid = local.uuid,
                                                  .totalBytes = local.totalBytes,
                                                  .freeBytes = local.freeBytes}};
        std::fputs(trial::toLine(hello).c_str(), stdout);
    }
}

int failToStart(ProtocolChannel& channel, const std::string& text)
{
    std::fprintf(stderr, "%s: %s\n", program, text.c_str());
    channel.send(trial::WorkerError{.text = text, .fatal = true});
    return ExitCode::CannotWork;
}

std::vector<std::unique_ptr<TrialGate>> gatesFor(const trial::DeviceDescription& device, int threads,
                                                 const TrialClock& clock)
{
    std::vector<std::unique_ptr<TrialGate>> gates;
    // One thread launches the work of a GPU: this thread in the forward pass, autograd's in the backward
    // pass.
    constexpr int launchingThreads = 1;
    using Work = ProcessorGate::Work;
    if (device.kind == "cpu")
        gates.push_back(std::make_unique<ProcessorGate>(threads, clock));
    else
        gates.push_back(std::make_unique<ProcessorGate>(launchingThreads, clock, Work::Launches));
    if (!device.uuid.empty())
        gates.push_back(
            std::make_unique<NvidiaGate>([uuid = device.uuid] { return device::conditionOf(uuid); }, clock));
    return gates;
}

/// Serves the parent, then ends the process with _exit() rather than by a return: libtorch's threads may
/// still run, the reading thread uses what a return would destroy, and freeing host memory after the GPU's
/// context is lost throws out of a destructor.
[[noreturn]] void serve(ProtocolChannel& channel, network::DeviceId device)
{
    try {
        channel.startReading();
        const device::LocalDevice local = localDevice(device.kind);
        const auto memory = network::openDeviceMemory(device, local.sharesHostMemory);
        const int threads = network::useAllCores();
        const trial::DeviceDescription description = describe(local, *memory);
        const SystemClock clock;
        const auto gates = gatesFor(description, threads, clock);
        Session session(channel, *memory,
                        {.program = program, .framework = network::libtorchName(), .device = description},
                        clock, gates);
        _exit(session.run());
    } catch (const std::exception& error) {
        _exit(failToStart(channel, network::messageOf(error)));
    }
}

} // namespace

int main(int argc, char** argv)
{
    const WorkerOptions options = parseWorkerOptions(std::span(argv + 1, argv + argc));
    if (options.versionOnly) {
        std::puts(program);
        return ExitCode::Finished;
    }
    if (options.devicesOnly) {
        printDevices();
        return ExitCode::Finished;
    }
    // Ctrl-C, a closed terminal, and a system that ends all processes of a group or a container concern the
    // parent, which decides what happens to its worker: a training run still has to save its checkpoint.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        std::signal(signal, SIG_IGN);
    // Then a limit of file sizes acts like a full disk, on which a checkpoint fails but a training run does
    // not.
    std::signal(SIGXFSZ, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ProtocolChannel channel;
    if (!options.problem.empty())
        return failToStart(channel, options.problem);

    // The library is loaded before anything uses libtorch, and only if it is needed: it takes 90 ms and 240
    // MiB.
    if (options.device.kind == network::DeviceKind::Cuda) {
        const network::AcceleratorLibrary library = network::loadAcceleratorLibrary();
        if (options.device.index >= library.devices) {
            return failToStart(channel, library.problem.empty()
                                            ? "This computer has no such NVIDIA GPU; use --device cpu."
                                            : library.problem);
        }
    }
    if (const auto problem = network::problemWithLibtorch())
        return failToStart(channel, *problem);

    serve(channel, options.device);
}
