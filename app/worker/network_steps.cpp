// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_steps.h"

#include <utility>

namespace batchpeak::worker {

void NetworkSteps::setInterrupted(std::function<bool()> interrupted)
{
    m_runner.setCancelled(std::move(interrupted));
}

std::optional<Interruption> NetworkSteps::prepare(std::int64_t microBatchSize)
{
    return interruptionOf(m_memory, [&] {
        m_memory.emptyCache();
        m_memory.resetPeaks();
        m_runner.prepare(microBatchSize);
    });
}

void NetworkSteps::resetPeaks()
{
    m_memory.synchronize();
    m_memory.resetPeaks();
}

ChainOrInterruption NetworkSteps::run(int steps)
{
    network::StepChain chain;
    if (auto interruption = interruptionOf(m_memory, [&] { chain = m_runner.run(steps); }))
        return std::move(*interruption);
    return chain;
}

MemoryReading NetworkSteps::memory() const
{
    return {.peakAllocatedBytes = m_memory.peakAllocatedBytes(),
            .peakReservedBytes = m_memory.peakReservedBytes(),
            .allocationRetries = m_memory.allocationRetries(),
            .spilled = m_memory.spilled()};
}

} // namespace batchpeak::worker
