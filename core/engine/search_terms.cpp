// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_terms.h"

#include <algorithm>

namespace batchpeak::engine {

namespace {

// Room for a slower size than predicted, and for what start-up adds to a short one.
constexpr double timeLimitPerPredicted = 3.0;
constexpr double timeLimitBeyondPredicted = 30.0;
// Before anything was measured: a first step of minutes is no size to recommend on any computer.
constexpr double timeLimitUnpredicted = 300.0;
// Where neither worker nor user names a limit, memory must still be a number: one pebibyte.
constexpr std::int64_t unknownMemoryBytes = std::int64_t{1} << 50;

double timeLimitSeconds(const search::Proposal& proposal)
{
    if (!proposal.predictedWallSeconds)
        return timeLimitUnpredicted;
    return timeLimitPerPredicted * *proposal.predictedWallSeconds + timeLimitBeyondPredicted;
}

} // namespace

search::SearchSpace spaceOn(const std::vector<DeviceSnapshot>& devices, search::SearchSpace space)
{
    space.devices = static_cast<int>(devices.size());
    space.memoryLimitBytes = unknownMemoryBytes;
    for (const DeviceSnapshot& device : devices) {
        if (device.usableBytes > 0)
            space.memoryLimitBytes = std::min(space.memoryLimitBytes, device.usableBytes);
        space.baselineBytes = std::max(space.baselineBytes, device.baselineBytes);
    }
    return space;
}

trial::TrialRequest requestFor(const search::Proposal& proposal, std::int64_t id)
{
    return {.id = id,
            .microBatchSize = proposal.size,
            .minSteps = proposal.minSteps,
            .maxSteps = proposal.maxSteps,
            .minSeconds = proposal.minSeconds,
            .timeLimitSeconds = timeLimitSeconds(proposal),
            .abandonAboveSeconds = proposal.abandonAboveSeconds};
}

} // namespace batchpeak::engine
