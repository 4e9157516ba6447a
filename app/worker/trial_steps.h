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
    /// Number of allocation retries since the process started.
    std::int64_t allocationRetries = 0;
    /// Whether the driver moved data to main memory instead of refusing it.
    bool spilled = false;
};

using ChainOrInterruption = std::variant<network::StepChain, Interruption>;

/// The steps that a trial times: steps of one micro-batch size, of a network on a device or of a test's
/// script.
///
/// Failures are values here, since an exception that stays alive keeps tensors alive.
class TrialSteps
{
public:
    TrialSteps() = default;
    TrialSteps(const TrialSteps&) = delete;
    TrialSteps& operator=(const TrialSteps&) = delete;
    virtual ~TrialSteps() = default;

    /// Sets the check that interrupts steps; it is called between layers, on any thread.
    virtual void setInterrupted(std::function<bool()> interrupted) = 0;
    /// Empties the cache, resets the peaks and creates the inputs.
    virtual std::optional<Interruption> prepare(std::int64_t microBatchSize) = 0;
    /// Creates the inputs of another size, and leaves cache and peaks as they are.
    virtual std::optional<Interruption> changeTo(std::int64_t microBatchSize) = 0;
    virtual void resetPeaks() = 0;
    virtual ChainOrInterruption run(int steps) = 0;
    virtual MemoryReading memory() const = 0;
};

} // namespace batchpeak::worker
