// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention.h"

#include "networks/layer_operations.h"

#include <ATen/Context.h>
#include <ATen/SDPBackend.h>
#include <ATen/ops/_fused_sdp_choice.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace batchpeak::network {

namespace {

using model::Attention;

std::optional<Attention> kernelOf(at::SDPBackend backend)
{
    switch (backend) {
    case at::SDPBackend::math:
        return Attention::Math;
    case at::SDPBackend::flash_attention:
        return Attention::Flash;
    case at::SDPBackend::efficient_attention:
        return Attention::MemoryEfficient;
    case at::SDPBackend::cudnn_attention:
        return Attention::Cudnn;
    default:
        return std::nullopt;
    }
}

/// Returns PyTorch's own order of kernels on that device. On a GPU the order is initialized when it is first
/// queried, which overwrites any other (priority_order in aten's transformers/cuda/sdp_utils.cpp), so it has
/// to be queried before one is set.
std::vector<std::int64_t> defaultOrder(at::Device device)
{
    static const std::vector<std::int64_t> order = [device] {
        const at::Tensor any = at::zeros({1, 1, 1, 8}, at::TensorOptions(device));
        at::_fused_sdp_choice(any, any, any);
        std::vector<std::int64_t> numbers;
        for (const at::SDPBackend backend : at::globalContext().sDPPriorityOrder())
            numbers.push_back(static_cast<std::int64_t>(backend));
        return numbers;
    }();
    return order;
}

// eager_attention_forward() of transformers 5.23.0, models/gemma2/modeling_gemma2.py. Each result replaces
// the one before, so that no more of them are alive than there.
at::Tensor cappedAttention(const AttentionInputs& inputs)
{
    const double defaultScale = 1.0 / std::sqrt(static_cast<double>(inputs.query.size(-1)));
    at::Tensor scores = at::matmul(inputs.query, inputs.key.transpose(2, 3));
    scores = scores.mul(inputs.scale.value_or(defaultScale));
    scores = softCapped(std::move(scores), inputs.softCap);
    scores = scores.add(*inputs.mask);
    scores = at::softmax(scores, -1, at::kFloat);
    scores = scores.to(inputs.query.scalar_type());
    return at::matmul(dropped(scores, inputs.dropout, /*trains=*/true), inputs.value);
}

} // namespace

at::Tensor attention(const AttentionInputs& inputs)
{
    if (inputs.softCap > 0.0)
        return cappedAttention(inputs);
    return at::scaled_dot_product_attention(inputs.query, inputs.key, inputs.value, inputs.mask,
                                            inputs.dropout, inputs.isCausal, inputs.scale, inputs.enableGqa);
}

at::Tensor textsApart(const at::Tensor& heads, std::int64_t textLength)
{
    return heads.transpose(1, 2).unflatten(1, {-1, textLength}).flatten(0, 1).transpose(1, 2);
}

at::Tensor textsTogether(const at::Tensor& heads, std::int64_t samples)
{
    return heads.transpose(1, 2).unflatten(0, {samples, -1}).flatten(1, 2).transpose(1, 2);
}

std::optional<Attention> attentionKernel(const AttentionInputs& inputs)
{
    if (inputs.softCap > 0.0)
        return Attention::Math;
    const std::int64_t number =
        at::_fused_sdp_choice(inputs.query, inputs.key, inputs.value, inputs.mask, inputs.dropout,
                              inputs.isCausal, inputs.scale, inputs.enableGqa);
    return kernelOf(static_cast<at::SDPBackend>(number));
}

void preferAttention(Attention kernel, at::Device device)
{
    at::Context& context = at::globalContext();
    std::vector<std::int64_t> order = defaultOrder(device);
    std::stable_partition(order.begin(), order.end(), [kernel](std::int64_t number) {
        return kernelOf(static_cast<at::SDPBackend>(number)) == kernel;
    });
    context.setSDPPriorityOrder(order);
    // On the CPU the order is fixed, but kernels that are disabled are left out.
    const bool fused = kernel != Attention::Math;
    context.setSDPUseFlash(fused);
    context.setSDPUseMemEfficient(fused);
    context.setSDPUseCuDNN(fused);
}

} // namespace batchpeak::network
