// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_runner.h"

#include "autocast_guard.h"
#include "device_memory.h"
#include "flat_parameters.h"
#include "network_factory.h"
#include "optimizer_step.h"
#include "phase_clock.h"
#include "random_batches.h"
#include "tile_unit.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <chrono>
#include <optional>
#include <utility>

namespace batchpeak::network {

namespace {

at::Device torchDevice(DeviceId device)
{
    if (device.kind == DeviceKind::Cpu)
        return at::Device(at::kCPU);
    return {at::kCUDA, static_cast<at::DeviceIndex>(device.index)};
}

bool trains(const trial::LoadRequest& request)
{
    return request.phase == model::Phase::Train;
}

at::ScalarType computeType(const trial::LoadRequest& request)
{
    const bool narrow =
        request.precision == model::Precision::Bf16 || request.precision == model::Precision::PureBf16;
    return narrow ? at::kBFloat16 : at::kFloat;
}

at::ScalarType parameterType(const trial::LoadRequest& request)
{
    return request.precision == model::Precision::PureBf16 ? at::kBFloat16 : at::kFloat;
}

// On a GPU, flash attention shares keys among queries but computes in 16 bits; the kernel for fp32
// does not share, and libtorch would fall back to whole attention matrices.
bool repeatsKeys(const trial::LoadRequest& request, at::Device device)
{
    return device.is_cuda() && computeType(request) == at::kFloat;
}

NetworkOptions networkOptions(const trial::LoadRequest& request, at::Device device)
{
    return {.device = device,
            .sequenceLength = request.sequenceLength,
            .parameterType = parameterType(request),
            .targetLength = request.targetLength.value_or(0),
            .computeType = computeType(request),
            .repeatsKeys = repeatsKeys(request, device),
            .trains = trains(request),
            .checkpoints = trains(request) && request.step.activationCheckpointing,
            .lossChunkRows = request.step.lossChunkRows};
}

void throwWhereImpossible(const trial::LoadRequest& request)
{
    if (const auto problem = model::problemWith(request.model))
        throw std::invalid_argument(*problem);
}

void seed(at::Device device, std::uint64_t value)
{
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::lock_guard lock(generator.mutex());
    generator.set_current_seed(value);
}

// A forward and a backward product make the matrix libraries allocate their workspaces, on this
// thread and on autograd's, and drain what a failed backward has left in autograd's queue.
void exerciseDevice(at::Device device)
{
    const at::AutoGradMode gradients(true);
    const at::Tensor input = at::ones({1, 16}, at::TensorOptions(device));
    at::Tensor weight = at::ones({16, 16}, at::TensorOptions(device));
    at::Tensor bias = at::ones({16}, at::TensorOptions(device));
    weight.requires_grad_(true);
    bias.requires_grad_(true);
    at::linear(input, weight, bias).sum().backward();
}

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

Cancelled::Cancelled() : std::runtime_error("The step was cancelled.") {}

class StepRunner::State
{
public:
    State(const trial::LoadRequest& request, DeviceMemory& memory);

    void prepare(std::int64_t microBatchSize);
    StepChain run(int steps);
    bool recover();

    const trial::LoadRequest m_request;
    DeviceMemory& m_memory;
    std::function<bool()> m_cancelled;
    std::int64_t m_baselineBytes = 0;
    /// The last step's loss, float32 on the device: reading it waits for the device.
    at::Tensor m_loss;
    std::optional<FlatParameters> m_parameters;

private:
    at::Tensor forward(const Batch& batch);
    void step(const Batch& batch, PhaseClock& clock);
    bool restore();

    at::Device m_device;
    /// No step has failed since the last whole one.
    bool m_intact = false;
    std::unique_ptr<Network> m_network;
    std::optional<OptimizerStep> m_optimizer;
    RandomBatches m_batches;
};

StepRunner::State::State(const trial::LoadRequest& request, DeviceMemory& memory)
    : m_request(request),
      m_memory(memory),
      m_device(torchDevice(memory.device())),
      m_batches(request.sequenceLength, request.sampleLengths, request.seed)
{
    throwWhereImpossible(request);
    const bool tf32 = request.precision == model::Precision::Tf32;
    at::globalContext().setAllowTF32CuBLAS(tf32);
    at::globalContext().setAllowTF32CuDNN(tf32);
    avoidUndescribedTileUnit();
    exerciseDevice(m_device);
    seed(m_device, request.seed);
    m_loss = at::zeros({}, at::TensorOptions(m_device));
    m_parameters.emplace(networkParameters(request.model), request.phase, m_device, parameterType(request));
    m_network = makeNetwork(request.model, *m_parameters, networkOptions(request, m_device));
    m_network->setBetweenLayers([this] {
        if (m_cancelled && m_cancelled())
            throw Cancelled();
    });
    if (trains(request))
        m_optimizer.emplace(request.optimizer, *m_parameters, request.step.maxGradientNorm);
    m_memory.synchronize();
    m_memory.emptyCache();
    m_baselineBytes = m_memory.allocatedBytes();
}

void StepRunner::State::prepare(std::int64_t microBatchSize)
{
    m_batches.drop();
    // A GPU's libraries keep workspaces from their first products on: those are no leak of a failure.
    if (m_intact && !m_device.is_cpu())
        m_baselineBytes = m_memory.allocatedBytes();
    seed(m_device, m_request.seed);
    m_batches.make(*m_network, microBatchSize);
}

StepChain StepRunner::State::run(int steps)
{
    m_intact = false;
    m_batches.shuffle();
    PhaseClock untimed(m_device);
    if (const Batch* longest = m_batches.longest())
        step(*longest, untimed);
    m_memory.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    PhaseClock clock(m_device);
    clock.mark();
    for (int i = 0; i < steps; ++i) {
        for (const Batch& batch : m_batches.cycle())
            step(batch, clock);
    }
    m_memory.synchronize();
    m_intact = true;
    const auto micros = m_batches.cycle().size();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    return {.steps = stepTimes(clock.intervals(), micros, trains(m_request)),
            .wallSeconds = wall.count() / static_cast<double>(micros),
            .microBatchesPerStep = static_cast<int>(micros)};
}

void StepRunner::State::step(const Batch& batch, PhaseClock& clock)
{
    const at::AutoGradMode gradients(trains(m_request));
    at::Tensor loss = forward(batch);
    clock.mark();
    if (m_optimizer)
        loss.backward();
    loss.reset();
    clock.mark();
    if (m_optimizer)
        m_optimizer->run();
    clock.mark();
}

at::Tensor StepRunner::State::forward(const Batch& batch)
{
    const AutocastGuard autocast(m_device.type(), m_request.precision == model::Precision::Bf16);
    at::Tensor loss = m_network->loss(batch, static_cast<double>(batch.countedTargets));
    const at::NoGradGuard noGradients;
    m_loss.copy_(loss);
    return loss;
}

bool StepRunner::State::recover()
{
    m_batches.drop();
    // Whatever fails here is no longer the step's failure: the device does not answer.
    try {
        return restore();
    } catch (const std::exception&) {
        return false;
    }
}

bool StepRunner::State::restore()
{
    m_parameters->clearGradients();
    exerciseDevice(m_device);
    m_memory.synchronize();
    m_memory.emptyCache();
    return m_memory.allocatedBytes() == m_baselineBytes;
}

StepRunner::StepRunner(const trial::LoadRequest& request, DeviceMemory& memory)
    : m_state(std::make_unique<State>(request, memory))
{}

StepRunner::~StepRunner() = default;

std::int64_t StepRunner::parameters() const
{
    return m_state->m_parameters->elements();
}

std::int64_t StepRunner::baselineBytes() const
{
    return m_state->m_baselineBytes;
}

void StepRunner::setCancelled(std::function<bool()> cancelled)
{
    m_state->m_cancelled = std::move(cancelled);
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

std::int64_t requiredBaselineBytes(const trial::LoadRequest& request)
{
    throwWhereImpossible(request);
    // As both devices' allocators round.
    const auto rounded = [](std::int64_t bytes) { return (bytes + 511) / 512 * 512; };
    const at::ScalarType type = parameterType(request);
    const std::int64_t elements = FlatParameters::bufferElements(networkParameters(request.model), type);
    const std::int64_t buffer = rounded(elements * static_cast<std::int64_t>(c10::elementSize(type)));

    std::int64_t bytes = rounded(sizeof(float)) + buffer;
    for (const std::int64_t tensor : networkBufferBytes(request.model, networkOptions(request, at::kCPU)))
        bytes += rounded(tensor);
    if (trains(request)) {
        bytes += buffer;
        for (const std::int64_t tensor : OptimizerStep::stateBytes(request.optimizer, elements, type))
            bytes += rounded(tensor);
    }
    return bytes;
}

} // namespace batchpeak::network
