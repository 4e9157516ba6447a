// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_runner.h"

#include "autocast_guard.h"
#include "decoder_network.h"
#include "device_memory.h"
#include "flat_parameters.h"
#include "optimizer_step.h"
#include "phase_clock.h"
#include "tile_unit.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
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

const model::DecoderSpec& decoder(const trial::LoadRequest& request)
{
    return std::get<model::DecoderSpec>(request.model.architecture);
}

at::ScalarType computeType(const trial::LoadRequest& request)
{
    return request.precision == model::Precision::Bf16 ? at::kBFloat16 : at::kFloat;
}

// On a GPU, flash attention shares keys among queries but computes in 16 bits; the kernel for fp32
// does not share, and libtorch would fall back to whole attention matrices.
bool repeatsKeys(const trial::LoadRequest& request, at::Device device)
{
    return device.is_cuda() && request.precision != model::Precision::Bf16;
}

bool trains(const trial::LoadRequest& request)
{
    return request.phase == model::Phase::Train;
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
    at::Tensor forward();
    void step(PhaseClock& clock);
    bool restore();

    at::Device m_device;
    /// No step has failed since the last whole one.
    bool m_intact = false;
    std::optional<DecoderNetwork> m_network;
    std::optional<OptimizerStep> m_optimizer;
    at::Tensor m_tokens;
    at::Tensor m_targets;
};

StepRunner::State::State(const trial::LoadRequest& request, DeviceMemory& memory)
    : m_request(request), m_memory(memory), m_device(torchDevice(memory.device()))
{
    throwWhereImpossible(request);
    const bool tf32 = request.precision == model::Precision::Tf32;
    at::globalContext().setAllowTF32CuBLAS(tf32);
    at::globalContext().setAllowTF32CuDNN(tf32);
    avoidUndescribedTileUnit();
    exerciseDevice(m_device);
    seed(m_device, request.seed);
    m_loss = at::zeros({}, at::TensorOptions(m_device));
    m_parameters.emplace(model::parameterTable(request.model), request.phase, m_device);
    m_network.emplace(decoder(request), *m_parameters,
                      DecoderNetwork::Options{.sequenceLength = request.sequenceLength,
                                              .computeType = computeType(request),
                                              .repeatsKeys = repeatsKeys(request, m_device),
                                              .trains = trains(request)});
    m_network->setBetweenLayers([this] {
        if (m_cancelled && m_cancelled())
            throw Cancelled();
    });
    if (trains(request))
        m_optimizer.emplace(request.optimizer, *m_parameters);
    m_memory.synchronize();
    m_memory.emptyCache();
    m_baselineBytes = m_memory.allocatedBytes();
}

void StepRunner::State::prepare(std::int64_t microBatchSize)
{
    m_tokens.reset();
    m_targets.reset();
    // A GPU's libraries keep workspaces from their first products on: those are no leak of a failure.
    if (m_intact && !m_device.is_cpu())
        m_baselineBytes = m_memory.allocatedBytes();
    seed(m_device, m_request.seed);
    const auto options = at::TensorOptions(m_device).dtype(at::kLong);
    const std::int64_t shape[] = {microBatchSize, m_request.sequenceLength};
    m_tokens = at::randint(decoder(m_request).vocabularySize, shape, options);
    m_targets = at::randint(decoder(m_request).vocabularySize, shape, options);
}

StepChain StepRunner::State::run(int steps)
{
    m_memory.synchronize();
    m_intact = false;
    const auto begin = std::chrono::steady_clock::now();
    PhaseClock clock(m_device);
    clock.mark();
    for (int i = 0; i < steps; ++i)
        step(clock);
    m_memory.synchronize();
    m_intact = true;
    StepChain chain;
    chain.wallSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::vector<double> seconds = clock.intervals();
    constexpr std::size_t phases = 3;
    for (std::size_t i = 0; i + phases <= seconds.size(); i += phases) {
        chain.steps.push_back({.forwardSeconds = seconds[i],
                               .backwardSeconds = trains(m_request) ? seconds[i + 1] : 0.0,
                               .optimizerSeconds = trains(m_request) ? seconds[i + 2] : 0.0});
    }
    return chain;
}

void StepRunner::State::step(PhaseClock& clock)
{
    const at::AutoGradMode gradients(trains(m_request));
    at::Tensor loss = forward();
    clock.mark();
    if (m_optimizer)
        loss.backward();
    loss.reset();
    clock.mark();
    if (m_optimizer)
        m_optimizer->run();
    clock.mark();
}

at::Tensor StepRunner::State::forward()
{
    const AutocastGuard autocast(m_device.type(), m_request.precision == model::Precision::Bf16);
    at::Tensor loss = m_network->loss(m_tokens, m_targets);
    const at::NoGradGuard noGradients;
    m_loss.copy_(loss);
    return loss;
}

bool StepRunner::State::recover()
{
    m_tokens.reset();
    m_targets.reset();
    // Whatever fails here is no longer the step's failure: the device does not answer.
    try {
        return restore();
    } catch (const std::exception&) {
        return false;
    }
}

bool StepRunner::State::restore()
{
    m_parameters->bindGradients();
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
    constexpr std::int64_t floatBytes = sizeof(float);
    const auto table = model::parameterTable(request.model);
    const std::int64_t buffer = rounded(FlatParameters::bufferElements(table) * floatBytes);
    const std::int64_t scalar = rounded(floatBytes);
    const auto element = static_cast<std::int64_t>(c10::elementSize(computeType(request)));
    const std::int64_t rotaryTable =
        rounded(DecoderNetwork::rotaryTableElements(decoder(request), request.sequenceLength) * element);

    std::int64_t bytes = scalar + buffer + 2 * rotaryTable;
    if (trains(request))
        bytes += buffer * (1 + model::optimizerStateCopies(request.optimizer));
    if (trains(request) && request.optimizer == model::Optimizer::AdamW)
        bytes += scalar;
    return bytes;
}

} // namespace batchpeak::network
