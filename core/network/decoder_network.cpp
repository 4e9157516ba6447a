// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder_network.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>

#include <stdexcept>
#include <utility>

namespace batchpeak::network {

namespace {

std::int64_t headSize(const model::DecoderSpec& spec)
{
    return spec.hiddenSize / spec.heads;
}

std::int64_t rotaryDimensions(const model::DecoderSpec& spec)
{
    if (spec.positionEmbedding != model::PositionEmbedding::Rotary)
        return 0;
    return spec.rotaryDimensions > 0 ? spec.rotaryDimensions : headSize(spec);
}

} // namespace

std::int64_t DecoderNetwork::rotaryTableElements(const model::DecoderSpec& spec, std::int64_t sequenceLength)
{
    return sequenceLength * rotaryDimensions(spec) / 2;
}

DecoderNetwork::DecoderNetwork(model::DecoderSpec spec, const FlatParameters& parameters,
                               const Options& options)
    : m_spec(std::move(spec)), m_options(options)
{
    if (options.sequenceLength < 1 || options.sequenceLength > m_spec.maxPositions) {
        throw std::invalid_argument("The sequence length is " + std::to_string(options.sequenceLength) +
                                    ", but this network takes 1 to " + std::to_string(m_spec.maxPositions) +
                                    " positions. Choose a length in that range.");
    }
    const auto find = [&parameters](const std::string& name) {
        const auto orNothing = [&parameters](const std::string& key) {
            return parameters.contains(key) ? parameters.at(key) : at::Tensor();
        };
        return Affine{.weight = orNothing(name + ".weight"), .bias = orNothing(name + ".bias")};
    };
    m_tokenEmbedding = find("embed_tokens");
    m_positionEmbedding = find("embed_positions");
    for (std::int64_t i = 0; i < m_spec.layers; ++i) {
        const std::string prefix = "layers." + std::to_string(i) + ".";
        m_layers.push_back({.attentionNorm = find(prefix + "attention_norm"),
                            .qkv = find(prefix + "attention.qkv"),
                            .attentionOutput = find(prefix + "attention.output"),
                            .feedForwardNorm = find(prefix + "feed_forward_norm"),
                            .up = find(prefix + "feed_forward.up"),
                            .down = find(prefix + "feed_forward.down")});
    }
    m_finalNorm = find("final_norm");
    m_output = find("output");
    if (m_spec.tiedEmbeddings)
        m_output.weight = m_tokenEmbedding.weight;
    makeRotaryTables(m_tokenEmbedding.weight.device());
}

// RoFormer, arXiv 2104.09864, equation 34, in LLaMA's layout: element i of a head's first half turns
// with element i of its second half by the angle position * theta^(-2i / dimensions).
void DecoderNetwork::makeRotaryTables(at::Device device)
{
    const std::int64_t dimensions = rotaryDimensions(m_spec);
    if (dimensions == 0)
        return;
    const at::TensorOptions options = at::TensorOptions(device).dtype(at::kFloat);
    const at::Tensor exponents = at::arange(0, dimensions, 2, options).div(-static_cast<double>(dimensions));
    const at::Tensor frequencies = at::pow(m_spec.ropeTheta, exponents);
    const at::Tensor angles = at::outer(at::arange(m_options.sequenceLength, options), frequencies);
    // {sequence length, 1, dimensions / 2}: alike for all heads.
    m_cosines = angles.cos().to(m_options.computeType).unsqueeze(1);
    m_sines = angles.sin().to(m_options.computeType).unsqueeze(1);
}

at::Tensor DecoderNetwork::loss(const at::Tensor& tokens, const at::Tensor& targets) const
{
    // The loss is a sum of many exponentials, which bf16 cannot hold.
    const at::Tensor rows = logits(tokens).flatten(0, 1).to(at::kFloat);
    return at::cross_entropy_loss(rows, targets.flatten());
}

at::Tensor DecoderNetwork::logits(const at::Tensor& tokens) const
{
    at::Tensor hidden = at::embedding(m_tokenEmbedding.weight, tokens);
    if (m_positionEmbedding.weight.defined())
        hidden = hidden.add(m_positionEmbedding.weight.narrow(0, 0, tokens.size(1)));
    hidden = dropped(std::move(hidden));
    for (const Layer& layer : m_layers) {
        askBetweenLayers(hidden);
        hidden = hidden.add(dropped(attention(normalized(hidden, layer.attentionNorm), layer)));
        hidden = hidden.add(dropped(feedForward(normalized(hidden, layer.feedForwardNorm), layer)));
    }
    askBetweenLayers(hidden);
    return at::linear(normalized(hidden, m_finalNorm), m_output.weight, m_output.bias);
}

void DecoderNetwork::askBetweenLayers(const at::Tensor& hidden) const
{
    if (!m_betweenLayers)
        return;
    m_betweenLayers();
    if (hidden.requires_grad())
        hidden.register_hook([this](const at::Tensor&) { m_betweenLayers(); });
}

at::Tensor DecoderNetwork::normalized(const at::Tensor& input, const Affine& norm) const
{
    if (m_spec.normalization == model::Normalization::RmsNorm)
        return at::rms_norm(input, {m_spec.hiddenSize}, norm.weight, m_spec.normalizationEpsilon);
    return at::layer_norm(input, {m_spec.hiddenSize}, norm.weight, norm.bias, m_spec.normalizationEpsilon);
}

at::Tensor DecoderNetwork::attention(const at::Tensor& input, const Layer& layer) const
{
    const std::int64_t samples = input.size(0);
    const std::int64_t length = input.size(1);
    const std::int64_t keys = m_spec.keyValueHeads;
    const bool grouped = keys != m_spec.heads;

    const at::Tensor stacked = at::linear(input, layer.qkv.weight, layer.qkv.bias)
                                   .view({samples, length, m_spec.heads + 2 * keys, headSize(m_spec)});
    const at::Tensor turned = rotated(stacked.narrow(2, 0, m_spec.heads + keys));
    // {samples, heads, length, head size}
    const at::Tensor query = turned.narrow(2, 0, m_spec.heads).transpose(1, 2);
    at::Tensor key = turned.narrow(2, m_spec.heads, keys).transpose(1, 2);
    at::Tensor value = stacked.narrow(2, m_spec.heads + keys, keys).transpose(1, 2);
    const bool repeats = grouped && m_options.repeatsKeys;
    if (repeats) {
        key = at::repeat_interleave(key, m_spec.heads / keys, 1);
        value = at::repeat_interleave(value, m_spec.heads / keys, 1);
    }

    const double dropout = m_options.trains ? m_spec.attentionDropout : 0.0;
    const at::Tensor mixed =
        at::scaled_dot_product_attention(query, key, value, /*attn_mask=*/{}, dropout, /*is_causal=*/true,
                                         /*scale=*/std::nullopt, /*enable_gqa=*/grouped && !repeats);
    return at::linear(mixed.transpose(1, 2).reshape({samples, length, m_spec.heads * headSize(m_spec)}),
                      layer.attentionOutput.weight, layer.attentionOutput.bias);
}

at::Tensor DecoderNetwork::rotated(const at::Tensor& heads) const
{
    if (!m_cosines.defined())
        return heads;
    const std::int64_t half = m_cosines.size(-1);
    const std::int64_t rest = heads.size(-1) - 2 * half;
    const at::Tensor first = heads.narrow(-1, 0, half);
    const at::Tensor second = heads.narrow(-1, half, half);
    const at::Tensor cosines = m_cosines.narrow(0, 0, heads.size(1));
    const at::Tensor sines = m_sines.narrow(0, 0, heads.size(1));
    std::vector<at::Tensor> parts{first.mul(cosines).sub(second.mul(sines)),
                                  second.mul(cosines).add(first.mul(sines))};
    if (rest > 0)
        parts.push_back(heads.narrow(-1, 2 * half, rest));
    return at::cat(parts, -1);
}

at::Tensor DecoderNetwork::feedForward(const at::Tensor& input, const Layer& layer) const
{
    at::Tensor inner = at::linear(input, layer.up.weight, layer.up.bias);
    switch (m_spec.activation) {
    case model::Activation::Gelu:
        inner = at::gelu(inner, "none");
        break;
    case model::Activation::GeluTanh:
        inner = at::gelu(inner, "tanh");
        break;
    case model::Activation::Relu:
        inner = at::relu(inner);
        break;
    case model::Activation::GeGlu: {
        const auto halves = inner.chunk(2, -1);
        inner = at::gelu(halves[0], "tanh").mul(halves[1]);
        break;
    }
    case model::Activation::SwiGlu: {
        const auto halves = inner.chunk(2, -1);
        inner = at::silu(halves[0]).mul(halves[1]);
        break;
    }
    }
    return at::linear(inner, layer.down.weight, layer.down.bias);
}

at::Tensor DecoderNetwork::dropped(at::Tensor input) const
{
    if (!m_options.trains || m_spec.dropout == 0.0)
        return input;
    return at::dropout(input, m_spec.dropout, /*train=*/true);
}

} // namespace batchpeak::network
