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

/// What a trial or a batch has to do with the rest of the worker.
struct RequestContext
{
    /// Told of steps or micro-batches, as they become known.
    std::function<void(const trial::Step&)> report;
    /// The parent has canceled it; asked from any thread.
    std::function<bool()> cancelled;
    /// When the parent was greeted, on the worker's clock [s].
    double helloSeconds = 0.0;
};

/// A question whether to go on was answered with no.
struct Interrupted
{};

using Interruption = std::variant<Interrupted, network::Failure>;

/// What the parent is answered, and what ended the work before its end, if anything did: the device is then
/// not fit for more before it has recovered.
template<typename Result>
struct Answer
{
    Result result;
    std::optional<Interruption> interruption;
};

/// What kept work on a device from its end, judged and turned into a value; nothing where it came to its end.
/// What was thrown is gone when this returns: an exception may hold tensors.
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

/// The failure among the interruptions after which only a fresh process can go on; null where it is none.
inline const network::Failure* stickyFailure(const std::optional<Interruption>& interruption)
{
    const auto* failure = interruption ? std::get_if<network::Failure>(&*interruption) : nullptr;
    return failure && failure->sticky ? failure : nullptr;
}

} // namespace batchpeak::worker
