// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "interruption.h"
#include "network/step_runner.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

namespace batchpeak::worker {

/// The memory of a device since the last reset of its peaks [bytes].
struct MemoryReading
{
    std::int64_t peakAllocatedBytes = 0;
    std::int64_t peakReservedBytes = 0;
    /// Since the process started.
    std::int64_t allocationRetries = 0;
    /// The driver moved data to main memory instead of refusing it.
    bool spilled = false;
};

using ChainOrInterruption = std::variant<network::StepChain, Interruption>;

/// Whatever can take steps of one micro-batch size: a network on a device, or a test's script.
///
/// Failures are values here, since an exception that lives on keeps tensors alive.
class Steppable
{
public:
    Steppable() = default;
    Steppable(const Steppable&) = delete;
    Steppable& operator=(const Steppable&) = delete;
    virtual ~Steppable() = default;

    /// Asked between layers, on any thread.
    virtual void setInterrupted(std::function<bool()> interrupted) = 0;
    /// Empties the cache and makes the inputs.
    virtual std::optional<Interruption> prepare(std::int64_t microBatchSize) = 0;
    virtual void resetPeaks() = 0;
    virtual ChainOrInterruption run(int steps) = 0;
    virtual MemoryReading memory() const = 0;
};

} // namespace batchpeak::worker
