// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "failure.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace batchpeak::network {

namespace {

using trial::Outcome;

struct Sign
{
    std::string_view text;
    Outcome outcome;
    bool sticky = false;
};

// The first that a message contains decides. Signs of a lost context come first: what follows them
// in a message is guesswork of the library's. Collected from the allocators, CUDA's libraries and
// the reports of other batch-size finders.
constexpr std::array signs{
    Sign{"illegal memory access", Outcome::Failed, true},
    Sign{"device-side assert", Outcome::Failed, true},
    Sign{"unspecified launch failure", Outcome::Failed, true},
    Sign{"misaligned address", Outcome::Failed, true},
    Sign{"illegal instruction", Outcome::Failed, true},
    Sign{"out of memory", Outcome::OutOfMemory},
    Sign{"cublas_status_alloc_failed", Outcome::OutOfMemory},
    Sign{"cudnn_status_alloc_failed", Outcome::OutOfMemory},
    Sign{"can't allocate memory", Outcome::OutOfMemory},
    Sign{"not enough memory", Outcome::OutOfMemory},
    Sign{"std::bad_alloc", Outcome::OutOfMemory},
    Sign{"allocation is out of device memory", Outcome::OutOfMemory},
    Sign{"module:pt_devmem allocation failed", Outcome::OutOfMemory},
    Sign{"cufft_internal_error", Outcome::OutOfMemory},
    Sign{"nvml_success == r internal assert failed", Outcome::OutOfMemory},
    Sign{"cudnn_status_not_supported", Outcome::OutOfMemory},
    Sign{"cudnn_status_internal_error", Outcome::OutOfMemory},
    // Often memory in disguise; a fresh process tells.
    Sign{"cublas_status_not_initialized", Outcome::Failed, true},
    Sign{"cublas_status_execution_failed", Outcome::Failed, true},
    Sign{"invalid configuration argument", Outcome::Unsupported},
    Sign{"integer overflow", Outcome::Unsupported},
    Sign{"integer out of range", Outcome::Unsupported},
    Sign{"canuse32bitindexmath", Outcome::Unsupported},
    Sign{"int_max", Outcome::Unsupported},
    Sign{"storage size calculation overflowed", Outcome::Unsupported},
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
         {"KiB", std::int64_t{1} << 10},
         {"MiB", std::int64_t{1} << 20},
         {"GiB", std::int64_t{1} << 30}}};
    for (const auto& [name, bytes] : units) {
        if (unit.starts_with(name))
            return bytes;
    }
    return std::nullopt;
}

} // namespace

Failure classifyFailureText(std::string_view text)
{
    const std::string lower = lowerCase(text);
    Failure failure{.text = std::string(text)};
    const auto sign = std::ranges::find_if(
        signs, [&lower](const Sign& s) { return lower.find(s.text) != std::string::npos; });
    if (sign != signs.end()) {
        failure.outcome = sign->outcome;
        failure.sticky = sign->sticky;
    }
    return failure;
}

Failure classifyCudaError(int code, std::string_view text)
{
    // driver_types.h of CUDA 13.0. Of these it says that the process must be terminated and
    // relaunched; 214, 220, 709 and 999 leave the context in a like state.
    static constexpr std::array sticky{226, 700, 702, 710, 714, 715, 716, 717, 718,
                                       719, 721, 810, 911, 214, 220, 709, 999};
    // The request, not the device, was at fault: too large a grid, too many resources asked for.
    static constexpr std::array unusableShape{9, 46, 98, 701, 720, 912};
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
    constexpr std::string_view before = "Tried to allocate ";
    const auto at = text.find(before);
    if (at == std::string_view::npos)
        return 0;
    text.remove_prefix(at + before.size());
    double amount = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (error != std::errc{})
        return 0;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    const auto unit = unitBytes(text.substr(std::min<std::size_t>(1, text.size())));
    const double bytes = amount * static_cast<double>(unit.value_or(0));
    return bytes >= 0 && bytes < 9e18 ? std::llround(bytes) : 0;
}

} // namespace batchpeak::network
