// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "failure.h"

#include "data/token_source.h"
#include "device_memory.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

namespace batchpeak::network {

namespace {

using trial::Outcome;

enum class Cause { LostProcess, DeviceMemory, HostMemory, Input };

struct Sign
{
    std::string_view text;
    Cause cause;
};

// The first text that a message contains decides. Texts of a lost context come first: whatever follows them
// in a message is the library's guesswork. Collected from the allocators, from the strings in libtorch_cpu.so
// and libtorch_cuda.so of torch 2.11.0, and from the reports of other batch-size finders.
constexpr std::array signs{
    Sign{"illegal memory access", Cause::LostProcess},
    Sign{"device-side assert", Cause::LostProcess},
    Sign{"unspecified launch failure", Cause::LostProcess},
    Sign{"misaligned address", Cause::LostProcess},
    Sign{"illegal instruction", Cause::LostProcess},
    Sign{"uncorrectable ecc", Cause::LostProcess},
    Sign{"launch timed out", Cause::LostProcess},
    Sign{"status_mapping_error", Cause::LostProcess},
    Sign{"error_device_lost", Cause::LostProcess},
    Sign{"nccl error", Cause::LostProcess},
    // Allocators of main memory: torch's own, C++'s and the system's.
    Sign{"can't allocate memory", Cause::HostMemory},
    Sign{"cannot allocate memory", Cause::HostMemory},
    Sign{"not enough memory", Cause::HostMemory},
    Sign{"std::bad_alloc", Cause::HostMemory},
    Sign{"out_of_host_memory", Cause::HostMemory},
    Sign{"host_allocation_failed", Cause::HostMemory},
    // CUDA, HIP, XPU, MPS and Triton report it in words, their drivers and XLA by the name of an error code.
    Sign{"out of memory", Cause::DeviceMemory},
    Sign{"out_of_memory", Cause::DeviceMemory},
    Sign{"outofmemory", Cause::DeviceMemory},
    Sign{"out_of_device_memory", Cause::DeviceMemory},
    Sign{"resource_exhausted", Cause::DeviceMemory},
    // Libraries report it by their status: cuBLAS, hipBLAS, cuDNN, cuFFT, cuSOLVER, cuSPARSE, MIOpen.
    Sign{"alloc_failed", Cause::DeviceMemory},
    Sign{"allocation_failed", Cause::DeviceMemory},
    Sign{"allocfailed", Cause::DeviceMemory},
    Sign{"rocblas_status_memory_error", Cause::DeviceMemory},
    Sign{"allocation is out of device memory", Cause::DeviceMemory},
    Sign{"module:pt_devmem allocation failed", Cause::DeviceMemory},
    Sign{"invalid buffer size", Cause::DeviceMemory},
    Sign{"cufft_internal_error", Cause::DeviceMemory},
    // libc10_cuda asks NVIDIA's management library which processes hold the memory before it reports that
    // there is none, and asserts that it may ask: in a slice of a GPU and in some containers it may not
    // (pytorch issues 112377 and 197312).
    Sign{"nvml_success ==", Cause::DeviceMemory},
    Sign{"would exceed allowed memory", Cause::DeviceMemory},
    Sign{"cudnn_status_not_supported", Cause::DeviceMemory},
    Sign{"cudnn_status_internal_error", Cause::DeviceMemory},
    // cuDNN has tried each algorithm, and does not report that their workspaces did not fit.
    Sign{"unable to find an engine to execute", Cause::DeviceMemory},
    Sign{"unable to find a valid cudnn algorithm", Cause::DeviceMemory},
    // These are often out of memory in disguise, which a fresh process finds out. After the last three the
    // allocator of expandable segments, or XPU's driver, cannot go on.
    Sign{"blas_status_not_initialized", Cause::LostProcess},
    Sign{"blas_status_execution_failed", Cause::LostProcess},
    Sign{"blas_status_internal_error", Cause::LostProcess},
    Sign{"cudnn_status_execution_failed", Cause::LostProcess},
    Sign{"error_out_of_resources", Cause::LostProcess},
    Sign{"handles_.at(i)", Cause::LostProcess},
    Sign{"device not ready", Cause::LostProcess},
    // More than a kernel or a library can count: 65535 blocks in a grid's second and third dimension
    // (memory-efficient attention has one for each sample), 2^31 - 1 elements.
    Sign{"invalid configuration argument", Cause::Input},
    Sign{"integer overflow", Cause::Input},
    Sign{"integer multiplication overflow", Cause::Input},
    Sign{"integer out of range", Cause::Input},
    Sign{"canuse32bitindexmath", Cause::Input},
    Sign{"int_max", Cause::Input},
    Sign{"too large to fit into a", Cause::Input},
    Sign{"tensor is too large", Cause::Input},
    Sign{"tensor too large", Cause::Input},
    Sign{"storage size calculation overflowed", Cause::Input},
    Sign{"stride calculation overflowed", Cause::Input},
    Sign{"blas_status_invalid_value", Cause::Input},
    Sign{"cudnn_status_bad_param", Cause::Input},
    // Shapes and dtypes that do not match.
    Sign{"shapes cannot be multiplied", Cause::Input},
    Sign{"must match the size of tensor b", Cause::Input},
    Sign{"must match the existing size", Cause::Input},
    Sign{"sizes of tensors must match except in dimension", Cause::Input},
    Sign{"expects each tensor to be equal size", Cause::Input},
    Sign{"is invalid for input of size", Cause::Input},
    Sign{"to match target batch_size", Cause::Input},
    Sign{"size mismatch", Cause::Input},
    Sign{"expected size for first two dimensions of batch2 tensor", Cause::Input},
    Sign{"expected input with shape", Cause::Input},
    Sign{"channels, but got", Cause::Input},
    Sign{"greater than actual input size", Cause::Input},
    Sign{"output size is too small", Cause::Input},
    Sign{"index out of range", Cause::Input},
    Sign{"dimension out of range", Cause::Input},
    Sign{"is out of bounds", Cause::Input},
    Sign{"have the same dtype", Cause::Input},
    Sign{"expected scalar type", Cause::Input},
    Sign{"one of the following scalar types", Cause::Input},
};

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

std::optional<std::int64_t> unitBytes(std::string_view unit)
{
    static constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> units{
        {{"bytes", 1},
         {"kib", std::int64_t{1} << 10},
         {"mib", std::int64_t{1} << 20},
         {"gib", std::int64_t{1} << 30}}};
    for (const auto& [name, bytes] : units) {
        if (unit.starts_with(name))
            return bytes;
    }
    return std::nullopt;
}

Failure failureOf(Cause cause, std::string_view text)
{
    Failure failure{.text = std::string(text)};
    switch (cause) {
    case Cause::LostProcess:
        failure.sticky = true;
        break;
    case Cause::HostMemory:
        failure.refusedHostBytes = requestedBytes(text);
        [[fallthrough]];
    case Cause::DeviceMemory:
        failure.outcome = Outcome::OutOfMemory;
        break;
    case Cause::Input:
        failure.outcome = Outcome::Unsupported;
        break;
    }
    return failure;
}

std::int64_t neededBytes(std::string_view text, const DeviceMemory& memory)
{
    if (const std::int64_t needed = memory.neededAtLastRefusal(); needed > 0)
        return needed;
    const std::int64_t requested = requestedBytes(text);
    return requested > 0 ? memory.peakAllocatedBytes() + requested : 0;
}

// IndexError, TypeError, ValueError and NotImplementedError of Python: the same input fails in the same way
// again, however much memory there is.
bool blamesTheInput(const std::exception& error)
{
    return dynamic_cast<const c10::IndexError*>(&error) || dynamic_cast<const c10::TypeError*>(&error) ||
           dynamic_cast<const c10::ValueError*>(&error) ||
           dynamic_cast<const c10::NotImplementedError*>(&error);
}

} // namespace

bool blamesTheRequest(const std::exception& error)
{
    return dynamic_cast<const std::invalid_argument*>(&error) ||
           dynamic_cast<const data::DataError*>(&error) || dynamic_cast<const CheckpointError*>(&error);
}

Failure classifyFailureText(std::string_view text)
{
    const std::string lower = lowerCase(text);
    const auto sign = std::ranges::find_if(
        signs, [&lower](const Sign& s) { return lower.find(s.text) != std::string::npos; });
    return sign != signs.end() ? failureOf(sign->cause, text) : Failure{.text = std::string(text)};
}

Failure classifyCudaError(int code, std::string_view text)
{
    // driver_types.h of CUDA 13.0. After most of these errors, it says, the process must be terminated and
    // relaunched. 214, 220, 709 and 999 leave the context in a similar state, and at 46 another program has
    // just held the device.
    static constexpr std::array sticky{226, 700, 702, 710, 714, 715, 716, 717, 718,
                                       719, 721, 810, 911, 214, 220, 709, 999, 46};
    // The request, not the device, was at fault: too large a grid, or too many resources requested.
    static constexpr std::array unusableShape{9, 98, 701, 720, 912};
    constexpr int memoryAllocation = 2;

    Failure failure{.text = std::string(text)};
    if (code == memoryAllocation)
        failure.outcome = Outcome::OutOfMemory;
    else if (std::ranges::find(unusableShape, code) != unusableShape.end())
        failure.outcome = Outcome::Unsupported;
    else
        failure.sticky = std::ranges::find(sticky, code) != sticky.end();
    return failure;
}

std::int64_t requestedBytes(std::string_view text)
{
    constexpr std::string_view before = "tried to allocate ";
    const std::string lower = lowerCase(text);
    const auto at = lower.find(before);
    if (at == std::string::npos)
        return 0;
    std::string_view size = std::string_view(lower).substr(at + before.size());
    double amount = 0;
    const auto [rest, error] = std::from_chars(size.data(), size.data() + size.size(), amount);
    if (error != std::errc{})
        return 0;
    size.remove_prefix(static_cast<std::size_t>(rest - size.data()));
    const auto unit = unitBytes(size.substr(std::min<std::size_t>(1, size.size())));
    const double bytes = amount * static_cast<double>(unit.value_or(0));
    return bytes >= 0 && bytes < 9e18 ? std::llround(bytes) : 0;
}

std::string messageOf(const std::exception& error)
{
    if (const auto* torchError = dynamic_cast<const c10::Error*>(&error))
        return torchError->what_without_backtrace();
    return error.what();
}

Failure classifyFailure(const std::exception& error, const DeviceMemory& memory,
                        std::int64_t outOfMemoryCountBefore)
{
    const std::string text = messageOf(error);
    Failure failure = classifyFailureText(text);
    if (const auto* accelerator = dynamic_cast<const c10::AcceleratorError*>(&error))
        failure = classifyCudaError(accelerator->get_error_code(), text);
    else if (dynamic_cast<const c10::DistError*>(&error))
        failure = {.sticky = true, .text = text};
    else if (dynamic_cast<const UnsupportedStep*>(&error) ||
             (failure.outcome == Outcome::Failed && !failure.sticky && blamesTheInput(error)))
        failure.outcome = Outcome::Unsupported;
    if (failure.sticky)
        return failure;

    const bool ofDevice = memory.outOfMemoryCount() > outOfMemoryCountBefore ||
                          dynamic_cast<const c10::OutOfMemoryError*>(&error);
    const bool ofHost = failure.refusedHostBytes || dynamic_cast<const std::bad_alloc*>(&error);
    if (ofDevice || ofHost)
        failure.outcome = Outcome::OutOfMemory;
    failure.refusedHostBytes =
        ofHost && !ofDevice ? std::optional(requestedBytes(text)) : std::optional<std::int64_t>();
    if (failure.outcome == Outcome::OutOfMemory && !failure.refusedHostBytes)
        failure.neededBytes = neededBytes(text, memory);
    return failure;
}

} // namespace batchpeak::network
