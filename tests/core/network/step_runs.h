// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/device_memory.h"
#include "network/failure.h"
#include "network/step_runner.h"
#include "trial/trial_request.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::network {

/// Size of a micro-batch in tests of steps.
inline constexpr std::int64_t samples = 3;

/// Runs one step as a worker does: an exception is classified inside the catch block, and the device recovers
/// outside it.
inline std::optional<Failure> failureOfStep(StepRunner& runner, const DeviceMemory& memory)
{
    const std::int64_t before = memory.outOfMemoryCount();
    try {
        runner.prepare(samples);
        runner.run(1);
    } catch (const std::exception& error) {
        return classifyFailure(error, memory, before);
    }
    return std::nullopt;
}

inline std::vector<double> lossesOf(const trial::LoadRequest& request, int steps, DeviceMemory& memory)
{
    StepRunner runner(request, memory);
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) {
        runner.prepare(samples);
        runner.run(1);
        losses.push_back(runner.loss());
    }
    return losses;
}

} // namespace batchpeak::network
