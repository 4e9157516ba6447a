// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_runner.h"

#include "device_memory.h"
#include "execution_state.h"
#include "loaded_network.h"
#include "phase_clock.h"
#include "random_batches.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <chrono>
#include <utility>

namespace batchpeak::network {

namespace {

/// \param seconds  of forward, backward and optimizer in turn
std::vector<StepTimes> stepTimes(const std::vector<double>& seconds, std::size_t microBatches, bool trains)
{
    constexpr std::size_t phases = 3;
    const double share = 1.0 / static_cast<double>(microBatches);
    std::vector<StepTimes> steps(seconds.size() / phases / microBatches);
    for (std::size_t i = 0; i < steps.size() * microBatches; ++i) {
        StepTimes& step = steps[i / microBatches];
        step.forwardSeconds += share * seconds[phases * i];
        if (!trains)
            continue;
        step.backwardSeconds += share * seconds[phases * i + 1];
        step.optimizerSeconds += share * seconds[phases * i + 2];
    }
    return steps;
}

} // namespace

std::int64_t requiredBaselineBytes(const trial::LoadRequest& request)
{
    // As both devices' allocators round the loss, one float.
    constexpr std::int64_t lossBytes = 512;
    return LoadedNetwork::requiredBytes(request) + lossBytes;
}

class StepRunner::State
{
public:
    State(const trial::LoadRequest& request, DeviceMemory& memory);

    void prepare(std::int64_t microBatchSize);
    StepChain run(int steps);
    bool recover();

    LoadedNetwork m_loaded;
    /// The last step's loss, float32 on the device: reading it waits for the device.
    at::Tensor m_loss;

private:
    void step(const Batch& batch, PhaseClock& clock);
    at::Tensor forward(const Batch& batch);

    /// No step has failed since the last whole one.
    bool m_intact = false;
    RandomBatches m_batches;
};

StepRunner::State::State(const trial::LoadRequest& request, DeviceMemory& memory)
    : m_loaded(request, memory),
      m_loss(at::zeros({}, at::TensorOptions(m_loaded.device()))),
      m_batches(request.sequenceLength, request.sampleLengths, request.seed)
{
    m_loaded.measureBaseline();
}

void StepRunner::State::prepare(std::int64_t microBatchSize)
{
    m_batches.drop();
    if (m_intact)
        m_loaded.admitWorkspaces();
    seedRandom(m_loaded.device(), m_loaded.request().seed);
    m_batches.make(m_loaded.network(), microBatchSize);
}

StepChain StepRunner::State::run(int steps)
{
    m_intact = false;
    m_batches.shuffle();
    PhaseClock untimed(m_loaded.device());
    if (const Batch* longest = m_batches.longest())
        step(*longest, untimed);
    m_loaded.memory().synchronize();
    const auto begin = std::chrono::steady_clock::now();
    PhaseClock clock(m_loaded.device());
    clock.mark();
    for (int i = 0; i < steps; ++i) {
        for (const Batch& batch : m_batches.cycle())
            step(batch, clock);
    }
    m_loaded.memory().synchronize();
    m_intact = true;
    const auto micros = m_batches.cycle().size();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    return {.steps = stepTimes(clock.intervals(), micros, m_loaded.optimizer() != nullptr),
            .wallSeconds = wall.count() / static_cast<double>(micros),
            .microBatchesPerStep = static_cast<int>(micros)};
}

void StepRunner::State::step(const Batch& batch, PhaseClock& clock)
{
    OptimizerStep* const optimizer = m_loaded.optimizer();
    const at::AutoGradMode gradients(optimizer != nullptr);
    at::Tensor loss = forward(batch);
    clock.mark();
    if (optimizer)
        loss.backward();
    loss.reset();
    clock.mark();
    if (optimizer)
        optimizer->run();
    clock.mark();
}

at::Tensor StepRunner::State::forward(const Batch& batch)
{
    at::Tensor loss = m_loaded.forward(batch, static_cast<double>(batch.countedTargets));
    const at::NoGradGuard noGradients;
    m_loss.copy_(loss);
    return loss;
}

bool StepRunner::State::recover()
{
    m_batches.drop();
    return m_loaded.recover();
}

StepRunner::StepRunner(const trial::LoadRequest& request, DeviceMemory& memory)
    : m_state(std::make_unique<State>(request, memory))
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

double StepRunner::loss() const
{
    return m_state->m_loss.item<double>();
}

bool StepRunner::recover()
{
    return m_state->recover();
}

} // namespace batchpeak::network
