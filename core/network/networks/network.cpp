// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network.h"

#include "kernels/activation_checkpoint.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace batchpeak::network {

Batch Batch::to(at::Device device) const
{
    const auto moved = [device](const at::Tensor& tensor) {
        return tensor.to(device, /*non_blocking=*/true);
    };
    Batch batch{.targets = moved(targets), .countedTargets = countedTargets};
    if (attentionMask.defined())
        batch.attentionMask = moved(attentionMask);
    for (const at::Tensor& input : inputs)
        batch.inputs.push_back(moved(input));
    return batch;
}

Batch Batch::slice(std::int64_t first, std::int64_t samples) const
{
    const std::int64_t whole = targets.size(0);
    Batch part{.targets = targets.narrow(0, first, samples),
               .countedTargets = countedTargets / whole * samples};
    if (attentionMask.defined())
        part.attentionMask = attentionMask.narrow(0, first, samples);
    for (const at::Tensor& input : inputs)
        part.inputs.push_back(input.narrow(0, first, samples));
    return part;
}

at::Tensor Network::throughLayer(std::size_t index, const Layer& layer,
                                 const std::vector<at::Tensor>& inputs) const
{
    askBetweenLayers(inputs.front(), index);
    if (!m_options.checkpoints || !at::GradMode::is_enabled())
        return layer(inputs);
    const bool learnsBefore = std::ranges::any_of(inputs, &at::Tensor::requires_grad);
    if (learnsBefore)
        return checkpointed(layer, inputs);
    if (!m_options.trainsAdapters)
        return layer(inputs);
    std::vector<at::Tensor> leaves = inputs;
    leaves.front() = leaves.front().detach().requires_grad_(true);
    return checkpointed(layer, leaves);
}

at::Tensor Network::attend(const AttentionInputs& inputs) const
{
    if (!m_attentionKernel)
        m_attentionKernel = network::attentionKernel(inputs);
    return attention(inputs);
}

void Network::askBetweenLayers(const at::Tensor& hidden, std::optional<std::size_t> layer) const
{
    if (!m_betweenLayers)
        return;
    m_betweenLayers({.layer = layer});
    if (hidden.requires_grad()) {
        hidden.register_hook(
            [this, layer](const at::Tensor&) { m_betweenLayers({.layer = layer, .isBackward = true}); });
    }
}

} // namespace batchpeak::network
