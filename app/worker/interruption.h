// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/device_memory.h"
#include "network/failure.h"
#include "trial/protocol.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

namespace batchpeak::worker {

/// The connections of a trial or a batch to the rest of the worker.
struct RequestContext
{
    /// Called with each step or micro-batch as it becomes known.
    std::function<void(const trial::Step&)> report;
    /// Whether the parent has canceled the trial or batch; called from any thread.
    std::function<bool()> cancelled;
    /// Time of the hello to the parent, on the worker's clock [s].
    double helloSeconds = 0.0;
};

/// The interruption of work after the worker was told not to continue.
struct Interrupted
{};

using Interruption = std::variant<Interrupted, network::Failure>;

/// The answer to the parent, and what ended the work early, if anything did. After an interruption the device
/// must recover before it can do more.
template<typename Result>
struct Answer
{
    Result result;
    std::optional<Interruption> interruption;
};

/// Runs work on a device and returns what interrupted it as a value, or nothing if the work completed. The
/// exception is destroyed when this returns, since it may hold tensors.
template<typename Work>
std::optional<Interruption> interruptionOf(const network::DeviceMemory& memory, Work&& work)
{
    const std::int64_t refusalsBefore = memory.outOfMemoryCount();
    try {
        std::forward<Work>(work)();
        return std::nullopt;
    } catch (const network::Cancelled&) {
        return Interrupted{};
    } catch (const std::exception& error) {
        return network::classifyFailure(error, memory, refusalsBefore);
    }
}

/// Returns the failure after which only a fresh process can continue, or null if the interruption is not such
/// a failure.
inline const network::Failure* stickyFailure(const std::optional<Interruption>& interruption)
{
    const auto* failure = interruption ? std::get_if<network::Failure>(&*interruption) : nullptr;
    return failure && failure->sticky ? failure : nullptr;
}

} // namespace batchpeak::worker
