// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "loaded_network.h"

#include "device_memory.h"
#include "execution_state.h"
#include "failure.h"
#include "kernels/attention.h"
#include "libtorch.h"
#include "model/held_memory.h"
#include "model/parameter_shares.h"
#include "model/parameter_table.h"
#include "network_factory.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace batchpeak::network {

namespace {

at::ScalarType typeOf(double elementBytes, model::Precision precision)
{
    constexpr double floatBytes = sizeof(float);
    if (elementBytes >= floatBytes)
        return at::kFloat;
    return model::isFloat16(precision) ? at::kHalf : at::kBFloat16;
}

model::ElementBytes elementBytes(const trial::LoadRequest& request)
{
    return model::elementBytes(request.precision, request.tuning);
}

at::ScalarType computeType(const trial::LoadRequest& request)
{
    return typeOf(elementBytes(request).product, request.precision);
}

// On a GPU, flash attention shares keys among queries but computes in 16 bits. The kernel for fp32 does not
// share them, and libtorch would fall back to whole attention matrices.
bool repeatsKeys(const trial::LoadRequest& request, at::Device device)
{
    return device.is_cuda() && computeType(request) == at::kFloat;
}

// A forward and a backward product make the matrix libraries allocate their workspaces, on this thread and on
// autograd's, and drain what a failed backward pass has left in autograd's queue.
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

// A module from a file has no known layers, and is held as a whole.
bool gathersParameters(const trial::LoadRequest& request)
{
    return !std::holds_alternative<model::ScriptSpec>(request.model.architecture) &&
           model::gathersParameters(model::sharingIn(request.phase, request.step));
}

/// Returns the bytes per element of parameters as layers compute with them.
model::ElementBytes computedBytes(const trial::LoadRequest& request)
{
    return gathersParameters(request)
               ? model::gatheredBytes(request.precision, request.tuning, request.phase, request.step)
               : elementBytes(request);
}

std::optional<ParameterSharing> sharingOf(const trial::LoadRequest& request)
{
    if (!gathersParameters(request))
        return std::nullopt;
    const model::ElementBytes bytes = computedBytes(request);
    return ParameterSharing{.devices = request.step.shards,
                            .takesTurns = request.step.sharding == model::Sharding::Parameters,
                            .type = typeOf(bytes.trained, request.precision),
                            .frozenType = typeOf(bytes.frozen, request.precision)};
}

ParameterHolding holdingOf(const trial::LoadRequest& request)
{
    const model::ElementBytes bytes = elementBytes(request);
    return {.type = typeOf(bytes.trained, request.precision),
            .frozenType = typeOf(bytes.frozen, request.precision),
            .tuning = request.tuning,
            .channelsLast = request.step.channelsLast,
            .sharing = sharingOf(request),
            .updatesInBackward = model::updatesInBackward(request.phase, request.step)};
}

// If parameters are shared, the optimizer holds the state of this device's whole share.
std::int64_t optimizerShards(const trial::LoadRequest& request)
{
    const bool isShared = request.step.sharding != model::Sharding::None && !gathersParameters(request);
    return isShared ? request.step.shards : 1;
}

OptimizerChoice optimizerChoice(const trial::LoadRequest& request)
{
    return {.kind = request.optimizer,
            .keepsMasters = !model::isPlain(request.precision),
            .stateOnHost = request.step.optimizerOnHost,
            .adamWStep = model::stepsByOperations(request.optimizer, request.precision, request.step)
                             ? request.step.adamWStep
                             : model::AdamWStep::Fused,
            .keepsMomentum = request.step.keepsMomentum,
            .wideEmbeddingMoments = model::widensEmbeddingMoments(request.optimizer, request.step),
            .shards = optimizerShards(request),
            .maxGradientNorm = request.step.maxGradientNorm,
            .scalesLoss = model::scalesLoss(request.precision)};
}

std::vector<model::Parameter> parametersOf(const trial::LoadRequest& request)
{
    return model::tunedTable(networkParameters(request.model), request.tuning);
}

NetworkOptions networkOptions(const trial::LoadRequest& request, at::Device device)
{
    return {.device = device,
            .sequenceLength = request.sequenceLength,
            .parameterType = typeOf(computedBytes(request).trained, request.precision),
            .targetLength = request.targetLength.value_or(0),
            .computeType = computeType(request),
            .repeatsKeys = repeatsKeys(request, device),
            .trains = trains(request),
            .checkpoints = trains(request) && request.step.activationCheckpointing,
            .trainsAdapters = model::hasAdapters(request.tuning),
            .lossChunkRows = request.step.lossChunkRows,
            .recomputesLossChunks = request.step.recomputesLossChunks,
            .lossParts = request.step.lossParts,
            .takesMasks = model::takesMasks(request.step.attention),
            .packedTextLength =
                model::packsTexts(request.step, request.sequenceLength) ? request.step.packedTextLength : 0,
            .channelsLast = request.step.channelsLast};
}

// Sets the options of torch.backends, for the whole process.
void choosePyTorchsWays(model::Precision precision, const model::StepOptions& step, at::Device device)
{
    at::Context& context = at::globalContext();
    const bool narrow = precision == model::Precision::Tf32;
    context.setAllowTF32CuBLAS(narrow);
    context.setAllowTF32CuDNN(narrow || step.convolvesInTf32);
    context.setBenchmarkCuDNN(step.timesConvolutions);
    preferAttention(step.attention, device);
}

void throwWhereImpossible(const trial::LoadRequest& request)
{
    if (const auto problem = model::problemWith(request.model))
        throw std::invalid_argument(*problem);
    if (const auto problem = model::problemWith(request.model, request.tuning))
        throw std::invalid_argument(*problem);
    const bool updatesInBackward = model::updatesInBackward(request.phase, request.step);
    if (updatesInBackward && request.step.maxGradientNorm > 0) {
        throw std::invalid_argument(
            "Gradients are not scaled to a norm of all of them where backward updates parameters; leave the "
            "norm out.");
    }
    if (updatesInBackward && model::scalesLoss(request.precision)) {
        throw std::invalid_argument(
            "Backward does not update parameters where the loss is scaled, since all gradients decide the "
            "scale; choose another precision.");
    }
    const model::ElementBytes bytes = elementBytes(request);
    if (!model::isMixed(request.precision) && !request.tuning.trainedParts.empty() &&
        bytes.trained != bytes.frozen) {
        throw std::invalid_argument("Parts that are trained have other numbers than what stays as it is, and "
                                    "no product takes both; choose the precision bf16, or frozen_weights: "
                                    "same.");
    }
    if (request.optimizer == model::Optimizer::Adafactor && updatesInBackward) {
        throw std::invalid_argument(
            "Adafactor is not run within backward; leave the updates in backward out, or choose another "
            "optimizer.");
    }
    if (request.optimizer == model::Optimizer::Adafactor && request.precision == model::Precision::PureFp16) {
        throw std::invalid_argument("Adafactor steps on gradients that float16 cannot hold without a scale; "
                                    "choose fp16, or another optimizer.");
    }
    if (request.step.packedTextLength > 0 &&
        !std::holds_alternative<model::DecoderSpec>(request.model.architecture)) {
        throw std::invalid_argument("Samples are packed of several texts for decoders alone; leave "
                                    "packed_text_length out.");
    }
    const bool adaptsOutput = std::ranges::any_of(request.tuning.targets, [](const auto& target) {
        return target.projection == model::Projection::Output;
    });
    if (adaptsOutput && request.step.lossChunkRows > 0) {
        throw std::invalid_argument(
            "The loss is not computed in chunks where the output has an adapter; leave "
            "the chunks or that adapter out.");
    }
}

// Rounds like the allocators of both devices.
std::int64_t rounded(std::int64_t bytes)
{
    return (bytes + 511) / 512 * 512;
}

} // namespace

LoadedNetwork::LoadedNetwork(const trial::LoadRequest& request, DeviceMemory& memory, double learningRate)
    : m_request(request), m_memory(memory), m_device(torchDevice(memory.device()))
{
    throwWhereImpossible(request);
    avoidUndescribedTileUnit();
    choosePyTorchsWays(request.precision, request.step, m_device);
    exerciseDevice(m_device);
    seedRandom(m_device, request.seed);
    m_parameters.emplace(parametersOf(request), request.phase, m_device, holdingOf(request));
    m_network = makeNetwork(request.model, *m_parameters, networkOptions(request, m_device));
    m_network->setBetweenLayers([this](LayerSeam seam) {
        if (m_cancelled && m_cancelled())
            throw Cancelled();
        if (!seam.layer)
            return;
        if (seam.isBackward)
            m_parameters->leaveLayer(*seam.layer);
        else
            m_parameters->enterLayer(*seam.layer);
    });
    if (trains(request))
        m_optimizer.emplace(optimizerChoice(request), *m_parameters, learningRate);
    if (updatesInBackward()) {
        m_parameters->setUpdate([this](std::size_t segment, const at::Tensor& gradient) {
            m_optimizer->update(segment, gradient);
        });
    }
    measureBaseline();
}

std::int64_t LoadedNetwork::requiredBytes(const trial::LoadRequest& request)
{
    throwWhereImpossible(request);
    const std::vector<model::Parameter> table = parametersOf(request);
    const ParameterHolding holding = holdingOf(request);
    const std::vector<std::int64_t> values = FlatParameters::valueBytes(table, holding);

    std::int64_t bytes = 0;
    const auto add = [&bytes](const std::vector<std::int64_t>& tensors) {
        for (const std::int64_t tensor : tensors)
            bytes += rounded(tensor);
    };
    add(values);
    add(networkBufferBytes(request.model, networkOptions(request, at::kCPU)));
    if (trains(request)) {
        if (!holding.updatesInBackward)
            add({values.front()});
        add(OptimizerStep::stateBytes(optimizerChoice(request), table, holding));
    }
    return bytes;
}

bool LoadedNetwork::updatesInBackward() const
{
    return model::updatesInBackward(m_request.phase, m_request.step);
}

std::vector<NamedTensor> LoadedNetwork::trainedTensors() const
{
    std::vector<NamedTensor> tensors = m_parameters->trained();
    for (const NamedTensor& state : m_optimizer->state()) {
        const std::string name = "optimizer." + state.name;
        // The count of steps is one number for all parameters, and blocks of quantized moments extend over
        // the gaps between parameters.
        if (state.tensor.scalar_type() == at::kByte ||
            state.tensor.numel() != m_parameters->gradients().numel()) {
            tensors.push_back({.name = name, .tensor = state.tensor});
            continue;
        }
        for (NamedTensor& stretch : m_parameters->stretchesOf(state.tensor))
            tensors.push_back({.name = name + '.' + stretch.name, .tensor = std::move(stretch.tensor)});
    }
    const std::vector<at::Tensor> statistics = m_network->statistics();
    for (std::size_t i = 0; i < statistics.size(); ++i)
        tensors.push_back({.name = "statistics." + std::to_string(i), .tensor = statistics[i]});
    return tensors;
}

at::Tensor LoadedNetwork::forward(const Batch& batch, double normalizer)
{
    const AutocastGuard autocast(m_device.type(), model::isMixed(m_request.precision)
                                                      ? std::optional(computeType(m_request))
                                                      : std::nullopt);
    m_parameters->gatherOutside();
    return m_network->loss(batch, normalizer);
}

void LoadedNetwork::measureBaseline()
{
    m_memory.synchronize();
    m_memory.emptyCache();
    m_baselineBytes = m_memory.allocatedBytes();
}

void LoadedNetwork::admitWorkspaces()
{
    if (!m_device.is_cpu())
        m_baselineBytes = m_memory.allocatedBytes();
}

bool LoadedNetwork::recover()
{
    // Whatever fails here is no longer the step's failure: the device does not respond.
    try {
        return restore();
    } catch (const std::exception&) {
        return false;
    }
}

bool LoadedNetwork::restore()
{
    m_parameters->clearGradients();
    try {
        exerciseDevice(m_device);
    } catch (const c10::OutOfMemoryError&) {
        // If the limit refuses even this, no backward pass could begin: nothing is left in autograd's queue.
    }
    m_memory.synchronize();
    m_memory.emptyCache();
    return m_memory.allocatedBytes() == m_baselineBytes;
}

} // namespace batchpeak::network
