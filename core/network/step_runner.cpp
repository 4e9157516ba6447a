// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_runner.h"

#include "device_memory.h"
#include "execution_state.h"
#include "networks/loaded_network.h"
#include "phase_clock.h"
#include "random_batches.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <chrono>
#include <utility>

namespace batchpeak::network {

namespace {

/// \param seconds  interleaved seconds of the forward and the backward pass
std::vector<StepTimes> stepTimes(const std::vector<double>& seconds, std::size_t microBatches, bool trains)
{
    constexpr std::size_t phases = 2;
    const double share = 1.0 / static_cast<double>(microBatches);
    std::vector<StepTimes> steps(seconds.size() / phases / microBatches);
    for (std::size_t i = 0; i < steps.size() * microBatches; ++i) {
        StepTimes& step = steps[i / microBatches];
        step.forwardSeconds += share * seconds[phases * i];
        if (trains)
            step.backwardSeconds += share * seconds[phases * i + 1];
    }
    return steps;
}

} // namespace

std::int64_t requiredBaselineBytes(const trial::LoadRequest& request)
{
    // The loss is one float, rounded like the allocators of both devices do.
    constexpr std::int64_t lossBytes = 512;
    return LoadedNetwork::requiredBytes(request) + lossBytes;
}

class StepRunner::State
{
public:
    State(const trial::LoadRequest& request, DeviceMemory& memory, std::function<double()> wallSeconds);

    void prepare(std::int64_t microBatchSize);
    StepChain run(int steps);
    bool recover();

    LoadedNetwork m_loaded;
    /// The last micro-batch's share of the loss, float32 on the device: reading it waits for the device.
    at::Tensor m_loss;
    /// Number of micro-batches per optimizer step, each of which contributes its share of the loss.
    double m_accumulated = 1.0;

private:
    void microBatch(const Batch& batch, PhaseClock& clock);
    at::Tensor forward(const Batch& batch);

    /// Whether no step has failed since the last complete one.
    bool m_intact = false;
    RandomBatches m_batches;
    std::function<double()> m_wallSeconds;
};

StepRunner::State::State(const trial::LoadRequest& request, DeviceMemory& memory,
                         std::function<double()> wallSeconds)
    : m_loaded(request, memory),
      m_loss(at::zeros({}, at::TensorOptions(m_loaded.device()))),
      m_batches(request.sequenceLength, request.sampleLengths, request.seed),
      m_wallSeconds(std::move(wallSeconds))
{
    m_loaded.measureBaseline();
}

void StepRunner::State::prepare(std::int64_t microBatchSize)
{
    m_batches.drop();
    if (m_intact)
        m_loaded.admitWorkspaces();
    seedRandom(m_loaded.device(), m_loaded.request().seed);
    m_loaded.network().forgetAttention();
    m_batches.make(m_loaded.network(), microBatchSize);
}

StepChain StepRunner::State::run(int steps)
{
    m_intact = false;
    m_batches.shuffle();
    OptimizerStep* const optimizer = m_loaded.optimizer();
    const std::size_t micros = m_batches.cycle().size();
    // Weighted as in gradient accumulation: gradients of a chain are no longer than those of a step, and a
    // loss scale that is right for one is right for the other.
    m_accumulated = m_loaded.updatesInBackward() ? 1.0 : static_cast<double>(micros) * steps;
    PhaseClock untimed(m_loaded.device());
    if (const Batch* longest = m_batches.longest())
        microBatch(*longest, untimed);
    m_loaded.memory().synchronize();
    const double begin = m_wallSeconds();
    PhaseClock clock(m_loaded.device());
    clock.mark();
    for (int i = 0; i < steps; ++i) {
        for (const Batch& batch : m_batches.cycle())
            microBatch(batch, clock);
    }
    if (optimizer && !m_loaded.updatesInBackward())
        optimizer->run();
    clock.mark();
    m_loaded.memory().synchronize();
    m_intact = true;
    const double wall = m_wallSeconds() - begin;
    std::vector<double> intervals = clock.intervals();
    const double optimizerSeconds = intervals.back();
    intervals.pop_back();
    return {.steps = stepTimes(intervals, micros, optimizer != nullptr),
            .optimizerSeconds = optimizer ? std::optional(optimizerSeconds) : std::nullopt,
            .lacksStep = optimizer && optimizer->hasLeftOutStep(),
            .wallSeconds = wall / static_cast<double>(micros),
            .microBatchesPerStep = static_cast<int>(micros)};
}

void StepRunner::State::microBatch(const Batch& batch, PhaseClock& clock)
{
    const bool trains = m_loaded.optimizer() != nullptr;
    const at::AutoGradMode gradients(trains);
    at::Tensor loss = forward(batch.to(m_loaded.device()));
    clock.mark();
    if (trains) {
        if (m_loaded.updatesInBackward())
            m_loaded.optimizer()->beginUpdates();
        m_loaded.optimizer()->scaled(loss).backward();
        m_loaded.parameters().reduceGradients();
    }
    loss.reset();
    clock.mark();
}

at::Tensor StepRunner::State::forward(const Batch& batch)
{
    at::Tensor loss = m_loaded.forward(batch, static_cast<double>(batch.countedTargets) * m_accumulated);
    const at::NoGradGuard noGradients;
    m_loss.copy_(loss);
    return loss;
}

bool StepRunner::State::recover()
{
    m_batches.drop();
    return m_loaded.recover();
}

double steadySeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

StepRunner::StepRunner(const trial::LoadRequest& request, DeviceMemory& memory,
                       std::function<double()> wallSeconds)
    : m_state(std::make_unique<State>(request, memory, std::move(wallSeconds)))
{}

StepRunner::~StepRunner() = default;

std::int64_t StepRunner::parameters() const
{
    return m_state->m_loaded.parameters().elements();
}

std::int64_t StepRunner::baselineBytes() const
{
    return m_state->m_loaded.baselineBytes();
}

void StepRunner::setCancelled(std::function<bool()> cancelled)
{
    m_state->m_loaded.setCancelled(std::move(cancelled));
}

void StepRunner::prepare(std::int64_t microBatchSize)
{
    m_state->prepare(microBatchSize);
}

StepChain StepRunner::run(int steps)
{
    return m_state->run(steps);
}

std::optional<model::Attention> StepRunner::attentionKernel() const
{
    return m_state->m_loaded.network().attentionKernel();
}

double StepRunner::loss() const
{
    return m_state->m_loss.item<double>() * m_state->m_accumulated;
}

bool StepRunner::recover()
{
    return m_state->recover();
}

} // namespace batchpeak::network
