// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "loaded_network.h"

#include "autocast_guard.h"
#include "cancelled.h"
#include "device_memory.h"
#include "load_settings.h"
#include "network_factory.h"
#include "random_state.h"
#include "tile_unit.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <c10/util/Exception.h>

#include <exception>

namespace batchpeak::network {

namespace {

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

LoadedNetwork::LoadedNetwork(const trial::LoadRequest& request, DeviceMemory& memory, double learningRate)
    : m_request(request), m_memory(memory), m_device(torchDevice(memory.device()))
{
    throwWhereImpossible(request);
    const bool tf32 = request.precision == model::Precision::Tf32;
    at::globalContext().setAllowTF32CuBLAS(tf32);
    at::globalContext().setAllowTF32CuDNN(tf32);
    avoidUndescribedTileUnit();
    exerciseDevice(m_device);
    seedRandom(m_device, request.seed);
    m_parameters.emplace(networkParameters(request.model), request.phase, m_device, parameterType(request));
    m_network = makeNetwork(request.model, *m_parameters, networkOptions(request, m_device));
    m_network->setBetweenLayers([this] {
        if (m_cancelled && m_cancelled())
            throw Cancelled();
    });
    if (trains(request))
        m_optimizer.emplace(request.optimizer, *m_parameters, request.step.maxGradientNorm, learningRate);
    measureBaseline();
}

at::Tensor LoadedNetwork::forward(const Batch& batch, double normalizer)
{
    const AutocastGuard autocast(m_device.type(), m_request.precision == model::Precision::Bf16);
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
    // Whatever fails here is no longer the step's failure: the device does not answer.
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
        // A limit that refuses even this let no backward pass begin: nothing is left in its queue.
    }
    m_memory.synchronize();
    m_memory.emptyCache();
    return m_memory.allocatedBytes() == m_baselineBytes;
}

} // namespace batchpeak::network
