// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_state.h"

#include "network/failure.h"

#include <algorithm>
#include <string>

namespace batchpeak::worker {

namespace {

constexpr double secondsBetweenReports = 0.1;

void takeInterruption(const Interruption& interruption, trial::BatchResult& result)
{
    const auto* failure = std::get_if<network::Failure>(&interruption);
    if (!failure) {
        result.outcome = trial::Outcome::Cancelled;
        return;
    }
    result.outcome = failure->outcome;
    result.text = failure->text;
    result.refusedHostBytes = failure->refusedHostBytes;
    result.peakReservedBytes = std::max(failure->neededBytes, result.peakReservedBytes);
}

} // namespace

std::variant<trial::TrainingReady, LoadProblem> TrainingState::begin(const LoadedNetworkRequest& network,
                                                                     const trial::TrainingRequest& training)
{
    end();
    if (network.loaded.baselineBytes > network.loaded.limitBytes)
        return notEvenParameters(network.loaded.baselineBytes);

    std::optional<network::Failure> failure;
    const std::int64_t refusalsBefore = m_memory.outOfMemoryCount();
    try {
        m_memory.emptyCache();
        m_runner = std::make_unique<network::TrainingRunner>(network.request, training, m_memory);
        return m_runner->ready();
    } catch (const std::exception& error) {
        if (network::blamesTheRequest(error))
            return LoadProblem{.text = error.what()};
        failure = network::classifyFailure(error, m_memory, refusalsBefore);
    }
    if (!isOutOfDeviceMemory(*failure))
        return problemOf(*failure);
    m_memory.emptyCache();
    return notEvenParameters(std::max(failure->neededBytes, m_memory.limitBytes() + 1));
}

LoadProblem TrainingState::notEvenParameters(std::int64_t neededBytes)
{
    m_unfitBytes = neededBytes;
    return {.text = "Not even the network without any sample fits: it needs " + std::to_string(neededBytes) +
                    " bytes, and may hold " + std::to_string(m_memory.limitBytes()) +
                    ". Allow more memory, or choose a smaller network."};
}

void TrainingState::end()
{
    m_runner.reset();
    m_unfitBytes.reset();
}

Answer<trial::BatchResult> TrainingState::run(const trial::BatchRequest& batch, const RequestContext& context)
{
    trial::BatchResult result{.id = batch.id, .microBatchSize = batch.microBatchSize};
    if (!m_runner) {
        result.outcome = trial::Outcome::OutOfMemory;
        result.peakReservedBytes = *m_unfitBytes;
        result.text = "Not even the network without any sample fits.";
        return {.result = result};
    }
    m_runner->setCancelled(context.cancelled);
    m_runner->setMicroBatchDone(reporter(batch.id, context));
    const std::int64_t retriesBefore = m_memory.allocationRetries();
    auto interruption = interruptionOf(m_memory, [&] {
        const network::BatchDone done = m_runner->run(batch);
        result.outcome = trial::Outcome::Ok;
        result.loss = done.loss;
        result.seconds = done.seconds;
        result.optimizerSeconds = done.optimizerSeconds;
        result.countedTargets = done.countedTargets;
    });
    m_runner->setCancelled({});
    m_runner->setMicroBatchDone({});
    addMemory(result, retriesBefore);
    if (interruption)
        takeInterruption(*interruption, result);
    return {.result = std::move(result), .interruption = std::move(interruption)};
}

std::function<void(std::int64_t)> TrainingState::reporter(std::int64_t id,
                                                          const RequestContext& context) const
{
    const double begin = m_clock.wallSeconds();
    return [this, id, &context, begin, last = begin](std::int64_t done) mutable {
        const double now = m_clock.wallSeconds();
        if (now - last < secondsBetweenReports)
            return;
        last = now;
        context.report({.id = id, .index = static_cast<int>(done - 1), .seconds = now - begin});
    };
}

void TrainingState::addMemory(trial::BatchResult& result, std::int64_t retriesBefore) const
{
    result.peakAllocatedBytes = m_memory.peakAllocatedBytes();
    result.peakReservedBytes = m_memory.peakReservedBytes();
    result.allocationRetries = m_memory.allocationRetries() - retriesBefore;
}

Answer<trial::Saved> TrainingState::save(const trial::SaveRequest& request) const
{
    trial::Saved saved{.id = request.id};
    auto interruption = interruptionOf(m_memory, [&] { saved.bytes = m_runner->save(request.path); });
    if (const auto* failure = interruption ? std::get_if<network::Failure>(&*interruption) : nullptr)
        saved.problem = failure->text;
    return {.result = std::move(saved), .interruption = std::move(interruption)};
}

bool TrainingState::recover()
{
    return !m_runner || m_runner->recover();
}

} // namespace batchpeak::worker
