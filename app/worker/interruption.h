// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/device_memory.h"
#include "network/failure.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>
#include <variant>

namespace batchpeak::worker {

/// A question whether to go on was answered with no.
struct Interrupted
{};

using Interruption = std::variant<Interrupted, network::Failure>;

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
