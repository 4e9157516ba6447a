// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_state.h"

#include "comparison_runner.h"
#include "model/parameter_table.h"
#include "trial/trial_record.h"
#include "trial_runner.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace batchpeak::worker {

namespace {

/// Returns what takes a different time here than in the run, in the words of core/config/approximations.h.
std::vector<std::string> approximationsOf(const trial::LoadRequest& request, network::DeviceId device)
{
    // bitsandbytes dequantizes NF4 with one kernel; here several kernels do that. On an H100 they take .7 to
    // 4.1 times its time (docs/measurements.md).
    const bool hasOtherKernel =
        device.kind == network::DeviceKind::Cuda && request.tuning.frozenWeights == model::FrozenWeights::Nf4;
    return hasOtherKernel ? std::vector<std::string>{"another kernel for 4-bit weights"}
                          : std::vector<std::string>();
}

/// Steps of a network on a device, whose failures are classified and turned into values.
class NetworkSteps : public TrialSteps
{
public:
    NetworkSteps(network::StepRunner& runner, network::DeviceMemory& memory)
        : m_runner(runner), m_memory(memory)
    {}

    void setInterrupted(std::function<bool()> interrupted) override
    {
        m_runner.setCancelled(std::move(interrupted));
    }

    std::optional<Interruption> prepare(std::int64_t microBatchSize) override
    {
        return interruptionOf(m_memory, [&] {
            m_memory.beginSize(microBatchSize);
            m_memory.emptyCache();
            m_memory.resetPeaks();
            m_runner.prepare(microBatchSize);
        });
    }

    std::optional<Interruption> changeTo(std::int64_t microBatchSize) override
    {
        return interruptionOf(m_memory, [&] {
            m_memory.beginSize(microBatchSize);
            m_runner.prepare(microBatchSize);
        });
    }

    void resetPeaks() override
    {
        m_memory.synchronize();
        m_memory.resetPeaks();
    }

    ChainOrInterruption run(int steps) override
    {
        network::StepChain chain;
        if (auto interruption = interruptionOf(m_memory, [&] { chain = m_runner.run(steps); }))
            return std::move(*interruption);
        return chain;
    }

    MemoryReading memory() const override
    {
        return {.peakAllocatedBytes = m_memory.peakAllocatedBytes(),
                .peakReservedBytes = m_memory.peakReservedBytes(),
                .allocationRetries = m_memory.allocationRetries(),
                .spilled = m_memory.spilled()};
    }

private:
    network::StepRunner& m_runner;
    network::DeviceMemory& m_memory;
};

} // namespace

LoadProblem problemOf(const network::Failure& failure)
{
    if (failure.refusedHostBytes) {
        return {.text = "The computer's main memory ran out while the network was loaded. End other "
                        "programs, or give the container more memory. (" +
                        failure.text + ")"};
    }
    return {.text = failure.text, .sticky = failure.sticky};
}

bool isOutOfDeviceMemory(const network::Failure& failure)
{
    return failure.outcome == trial::Outcome::OutOfMemory && !failure.refusedHostBytes;
}

std::variant<trial::Loaded, LoadProblem> LoadState::load(const trial::LoadRequest& request)
{
    drop();
    m_request = request;
    if (const auto problem = model::problemWith(request.model))
        return LoadProblem{.text = *problem};
    if (model::needsPython(request.model) || request.step.compilation != model::Compilation::None ||
        request.step.preference != model::Preference::None) {
        return LoadProblem{.text =
                               "batchpeak-worker does not run this network or its steps; measure with your "
                               "Python (--with python)."};
    }

    std::optional<network::Failure> failure;
    const std::int64_t refusalsBefore = m_memory.outOfMemoryCount();
    try {
        m_memory.emptyCache();
        m_memory.setLimit(request.memoryLimitBytes);
        const std::int64_t needed = network::requiredBaselineBytes(request);
        if (needed > m_memory.limitBytes())
            return notEvenLoaded(needed);
        m_runner = std::make_unique<network::StepRunner>(request, m_memory,
                                                         [this] { return m_clock.wallSeconds(); });
    } catch (const std::invalid_argument& error) {
        return LoadProblem{.text = error.what()};
    } catch (const std::exception& error) {
        failure = network::classifyFailure(error, m_memory, refusalsBefore);
    }
    if (failure && isOutOfDeviceMemory(*failure)) {
        m_memory.emptyCache();
        // The available memory was sufficient according to the table, so the device itself needs the rest.
        return notEvenLoaded(std::max(failure->neededBytes, m_memory.limitBytes() + 1));
    }
    if (failure)
        return problemOf(*failure);

    m_loaded = trial::Loaded{.parameters = m_runner->parameters(),
                             .baselineBytes = m_runner->baselineBytes(),
                             .limitBytes = m_memory.limitBytes(),
                             .approximations = approximationsOf(request, m_memory.device())};
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

Answer<trial::TrialResult> LoadState::run(const trial::TrialRequest& request, const RequestContext& context)
{
    if (!m_runner)
        return notEvenRun(request.id, request.microBatchSize);
    NetworkSteps steps(*m_runner, m_memory);
    Answer<trial::TrialResult> answer = runTrial(request, steps, m_clock, m_gates, context);
    addError(answer.result);
    if (const auto kernel = m_runner->attentionKernel())
        answer.result.attention = toText(*kernel);
    return answer;
}

Answer<trial::TrialResult> LoadState::run(const trial::CompareRequest& request, const RequestContext& context)
{
    if (!m_runner)
        return notEvenRun(request.id, request.microBatchSizes.front());
    NetworkSteps steps(*m_runner, m_memory);
    return runComparison(request, steps, m_clock, m_gates, context);
}

Answer<trial::TrialResult> LoadState::notEvenRun(std::int64_t id, std::int64_t microBatchSize) const
{
    return {.result = {.id = id,
                       .microBatchSize = microBatchSize,
                       .outcome = trial::Outcome::OutOfMemory,
                       .peakReservedBytes = m_loaded->baselineBytes,
                       .text = "Not even the network without any sample fits."}};
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
                             .limitBytes = m_memory.limitBytes(),
                             .approximations = approximationsOf(m_request, m_memory.device())};
    return *m_loaded;
}

} // namespace batchpeak::worker
