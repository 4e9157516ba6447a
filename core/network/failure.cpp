// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "failure.h"

#include "device_memory.h"

#include <c10/util/Exception.h>

#include <new>

namespace batchpeak::network {

namespace {

using trial::Outcome;

std::int64_t neededBytes(std::string_view text, const DeviceMemory& memory)
{
    if (const std::int64_t needed = memory.neededAtLastRefusal(); needed > 0)
        return needed;
    const std::int64_t requested = requestedBytes(text);
    return requested > 0 ? memory.peakAllocatedBytes() + requested : 0;
}

// What Python calls IndexError, TypeError, ValueError and NotImplementedError: the same input fails the
// same way again, however much memory there is.
bool blamesTheInput(const std::exception& error)
{
    return dynamic_cast<const c10::IndexError*>(&error) || dynamic_cast<const c10::TypeError*>(&error) ||
           dynamic_cast<const c10::ValueError*>(&error) ||
           dynamic_cast<const c10::NotImplementedError*>(&error);
}

} // namespace

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
    else if (dynamic_cast<const UnsupportedStep*>(&error))
        failure.outcome = Outcome::Unsupported;
    else if (dynamic_cast<const c10::DistError*>(&error))
        failure = {.sticky = true, .text = text};
    else if (failure.outcome == Outcome::Failed && !failure.sticky && blamesTheInput(error))
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
