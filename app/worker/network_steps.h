// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/device_memory.h"
#include "steppable.h"

namespace batchpeak::worker {

/// Steps of a network on a device, with its failures judged and turned into values.
class NetworkSteps : public Steppable
{
public:
    /// \param runner, memory  outlive it
    NetworkSteps(network::StepRunner& runner, network::DeviceMemory& memory)
        : m_runner(runner), m_memory(memory)
    {}

    void setInterrupted(std::function<bool()> interrupted) override;
    std::optional<Interruption> prepare(std::int64_t microBatchSize) override;
    void resetPeaks() override;
    ChainOrInterruption run(int steps) override;
    MemoryReading memory() const override;

private:
    network::StepRunner& m_runner;
    network::DeviceMemory& m_memory;
};

} // namespace batchpeak::worker
