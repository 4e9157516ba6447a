// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "vision_transformer_network.h"

#include "activations.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>

#include <string>

namespace batchpeak::network {

VisionTransformerNetwork::VisionTransformerNetwork(model::VisionTransformerSpec spec,
                                                   const FlatParameters& parameters,
                                                   const NetworkOptions& options)
    : ImageNetwork(options, {.channels = spec.channels, .size = spec.imageSize}, spec.classes,
                   affineOf(parameters, "output")),
      m_spec(spec),
      m_classToken(parameters.at("class_token")),
      m_patches(affineOf(parameters, "patches")),
      m_positions(parameters.at("embed_positions.weight")),
      m_finalNorm(affineOf(parameters, "final_norm"))
{
    for (std::int64_t i = 0; i < m_spec.layers; ++i)
        m_layers.push_back(transformerLayerOf(parameters, "layers." + std::to_string(i) + "."));
}

std::vector<std::int64_t> VisionTransformerNetwork::bufferBytes(const model::VisionTransformerSpec&,
                                                                const NetworkOptions&)
{
    return {};
}

at::Tensor VisionTransformerNetwork::features(const at::Tensor& images) const
{
    at::Tensor hidden = embedded(images);
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        hidden = throughLayer(i,
                              [this, &layer = m_layers[i]](const std::vector<at::Tensor>& inputs) {
                                  return throughBlock(inputs.front(), layer);
                              },
                              {hidden});
    }
    return layerNormalized(hidden, m_finalNorm).select(1, 0);
}

// Returns {samples, positions, hidden size}: the class token, then the patches row by row.
at::Tensor VisionTransformerNetwork::embedded(const at::Tensor& images) const
{
    const at::Tensor patches =
        at::conv2d(images, m_patches.weight, m_patches.bias, /*stride=*/m_spec.patchSize)
            .flatten(2)
            .transpose(1, 2);
    const at::Tensor classTokens = m_classToken.expand({images.size(0), -1, -1});
    return residualDropped(at::cat({classTokens, patches}, 1).add(m_positions));
}

at::Tensor VisionTransformerNetwork::throughBlock(const at::Tensor& hidden,
                                                  const TransformerLayer& layer) const
{
    const at::Tensor attended =
        residualDropped(attention(layerNormalized(hidden, layer.attentionNorm), layer)).add(hidden);
    return residualDropped(feedForward(layerNormalized(attended, layer.feedForwardNorm), layer))
        .add(attended);
}

at::Tensor VisionTransformerNetwork::layerNormalized(const at::Tensor& input, const Affine& norm) const
{
    return normalized(input, norm, model::Normalization::LayerNorm, m_spec.normalizationEpsilon);
}

at::Tensor VisionTransformerNetwork::attention(const at::Tensor& input, const TransformerLayer& layer) const
{
    const std::int64_t samples = input.size(0);
    const std::int64_t positions = input.size(1);
    const at::Tensor stacked =
        projected(input, layer.qkv)
            .view({samples, positions, 3 * m_spec.heads, m_spec.hiddenSize / m_spec.heads});
    const auto [query, key, value] = attentionHeads(stacked, m_spec.heads, m_spec.heads, nullptr);
    const double dropout = options().trains ? m_spec.attentionDropout : 0.0;
    const at::Tensor mixed = attend({.query = query, .key = key, .value = value, .dropout = dropout});
    return projected(joined(mixed), layer.attentionOutput);
}

at::Tensor VisionTransformerNetwork::feedForward(const at::Tensor& input, const TransformerLayer& layer) const
{
    return projected(activated(projected(input, layer.up), m_spec.activation), layer.down);
}

at::Tensor VisionTransformerNetwork::residualDropped(const at::Tensor& input) const
{
    return dropped(input, m_spec.dropout, options().trains);
}

} // namespace batchpeak::network
