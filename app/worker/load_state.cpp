// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_state.h"

#include "model/parameter_table.h"
#include "network/step_runner.h"
#include "trial/trial_flags.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::worker {

std::variant<trial::Loaded, LoadProblem> LoadState::load(const trial::LoadRequest& request)
{
    drop();
    m_request = request;
    if (const auto problem = model::problemWith(request.model))
        return LoadProblem{.text = *problem};

    std::optional<network::Failure> failure;
    const std::int64_t refusalsBefore = m_memory.outOfMemoryCount();
    try {
        m_memory.emptyCache();
        m_memory.setLimit(request.memoryLimitBytes);
        const std::int64_t needed = network::requiredBaselineBytes(request);
        if (needed > m_memory.limitBytes())
            return notEvenLoaded(needed);
        m_runner = std::make_unique<network::StepRunner>(request, m_memory);
    } catch (const std::invalid_argument& error) {
        return LoadProblem{.text = error.what()};
    } catch (const std::exception& error) {
        failure = network::classifyFailure(error, m_memory, refusalsBefore);
    }
    if (failure && isOutOfDeviceMemory(*failure)) {
        m_memory.emptyCache();
        // What was there was enough by the table, so the rest is the device's own need.
        return notEvenLoaded(std::max(failure->neededBytes, m_memory.limitBytes() + 1));
    }
    if (failure)
        return problemOf(*failure);

    m_loaded = trial::Loaded{.parameters = m_runner->parameters(),
                             .baselineBytes = m_runner->baselineBytes(),
                             .limitBytes = m_memory.limitBytes()};
    return *m_loaded;
}

std::optional<LoadedNetworkRequest> LoadState::handOver()
{
    if (!m_loaded)
        return std::nullopt;
    LoadedNetworkRequest network{.request = m_request, .loaded = *m_loaded};
    drop();
    return network;
}

void LoadState::drop()
{
    m_runner.reset();
    m_loaded.reset();
    m_scatter = {};
}

TrialEnd LoadState::runTrial(const trial::TrialRequest& request, const TrialClock& clock,
                             const TrialContext& context)
{
    if (!m_runner) {
        return {.result = {.id = request.id,
                           .microBatchSize = request.microBatchSize,
                           .outcome = trial::Outcome::OutOfMemory,
                           .peakReservedBytes = m_loaded->baselineBytes,
                           .text = "Not even the network without any sample fits."}};
    }
    NetworkSteps steps(*m_runner, m_memory);
    TrialEnd end = TrialRunner(steps, clock).run(request, context);
    addError(end.result);
    return end;
}

void LoadState::addError(trial::TrialResult& result)
{
    if (result.outcome != trial::Outcome::Ok || !result.relativeError)
        return;
    if (!trial::hasFlag(result.flags, trial::flag::disturbed))
        m_scatter.add(result.microBatchSize, result.secondsPerStep);
    result.relativeError = std::hypot(*result.relativeError, m_scatter.relativeDeviation());
}

bool LoadState::recover()
{
    return !m_runner || m_runner->recover();
}

trial::Loaded LoadState::notEvenLoaded(std::int64_t neededBytes)
{
    m_loaded = trial::Loaded{.parameters = model::parameterCount(m_request.model),
                             .baselineBytes = neededBytes,
                             .limitBytes = m_memory.limitBytes()};
    return *m_loaded;
}

} // namespace batchpeak::worker
