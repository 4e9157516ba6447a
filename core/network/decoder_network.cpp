// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder_network.h"

#include "collation.h"
#include "flat_parameters.h"
#include "layer_operations.h"
#include "position_embeddings.h"
#include "quantized_matrix.h"
#include "token_loss.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/repeat_interleave.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

namespace batchpeak::network {

namespace {

bool isRotary(const model::DecoderSpec& spec)
{
    return spec.positionEmbedding == model::PositionEmbedding::Rotary;
}

bool isBiased(const model::DecoderSpec& spec)
{
    return spec.positionEmbedding == model::PositionEmbedding::Alibi;
}

Affine stackOf(const FlatParameters& parameters, const std::string& name)
{
    if (const QuantizedMatrix* quantized = parameters.quantized(name))
        return {.quantized = quantized};
    return {.weight = parameters.at(name)};
}

/// The matrices of all experts.
class Stack
{
public:
    explicit Stack(const Affine& matrices) : m_quantized(matrices.quantized)
    {
        // All at once: backward of single ones would make the gradient of the whole stack for each.
        if (!m_quantized)
            m_single = matrices.weight.unbind();
    }

    at::Tensor of(const at::Tensor& tokens, std::size_t index) const
    {
        return m_quantized ? linear(tokens, *m_quantized, static_cast<std::int64_t>(index))
                           : at::linear(tokens, m_single[index]);
    }

private:
    const QuantizedMatrix* m_quantized;
    std::vector<at::Tensor> m_single;
};

} // namespace

std::vector<std::int64_t> DecoderNetwork::bufferBytes(const model::DecoderSpec& spec,
                                                      const NetworkOptions& options)
{
    const auto element = static_cast<std::int64_t>(c10::elementSize(options.computeType));
    if (isRotary(spec)) {
        const std::int64_t table =
            RotaryPositions::tableElements(rotaryDimensionsOf(spec), options.sequenceLength) * element;
        return {table, table};
    }
    if (isBiased(spec))
        return {spec.heads * options.sequenceLength * options.sequenceLength * element};
    return {};
}

DecoderNetwork::DecoderNetwork(model::DecoderSpec spec, const FlatParameters& parameters,
                               const NetworkOptions& options)
    : Network(options), m_spec(spec)
{
    if (options.sequenceLength < 1 || options.sequenceLength > m_spec.maxPositions) {
        throw std::invalid_argument("The sequence length is " + std::to_string(options.sequenceLength) +
                                    ", but this network takes 1 to " + std::to_string(m_spec.maxPositions) +
                                    " positions. Choose a length in that range.");
    }
    m_tokenEmbedding = affineOf(parameters, "embed_tokens");
    m_positionEmbedding = affineOf(parameters, "embed_positions");
    m_embeddingNorm = affineOf(parameters, "embed_norm");
    findLayers(parameters);
    m_finalNorm = affineOf(parameters, "final_norm");
    m_output = outputOf(parameters, m_tokenEmbedding);
    if (isRotary(m_spec))
        m_rotary.emplace(rotaryDimensionsOf(m_spec), options.sequenceLength, m_spec.ropeTheta,
                         options.computeType, options.device);
    if (isBiased(m_spec))
        m_distances = linearBiases(m_spec.heads, options.sequenceLength, options.computeType, options.device);
}

void DecoderNetwork::findLayers(const FlatParameters& parameters)
{
    for (std::int64_t i = 0; i < m_spec.layers; ++i) {
        const std::string prefix = "layers." + std::to_string(i) + ".";
        m_layers.push_back({transformerLayerOf(parameters, prefix)});
        if (m_spec.queryKeyNormalization) {
            m_layers.back().headNorms =
                HeadNorms{.query = affineOf(parameters, prefix + "attention.query_norm"),
                          .key = affineOf(parameters, prefix + "attention.key_norm"),
                          .epsilon = m_spec.normalizationEpsilon};
        }
        if (model::hasExperts(m_spec)) {
            m_layers.back().experts = Experts{.router = parameters.at(prefix + "router.weight"),
                                              .up = stackOf(parameters, prefix + "experts.up"),
                                              .down = stackOf(parameters, prefix + "experts.down")};
        }
    }
}

Batch DecoderNetwork::makeBatch(std::int64_t samples, std::int64_t sequenceLength) const
{
    const auto type = at::TensorOptions(options().device).dtype(at::kLong);
    const std::int64_t shape[] = {samples, sequenceLength};
    return {.inputs = {at::randint(m_spec.vocabularySize, shape, type)},
            .targets = at::randint(m_spec.vocabularySize, shape, type),
            .countedTargets = samples * sequenceLength};
}

std::int64_t DecoderNetwork::tokensPerRow() const
{
    return options().sequenceLength + 1;
}

Batch DecoderNetwork::batchOf(std::span<const SampleRow> rows) const
{
    const auto samples = static_cast<std::int64_t>(rows.size());
    const std::int64_t length = options().sequenceLength;
    HostIntegers integers(options().device, samples, {length, length});
    for (std::int64_t i = 0; i < samples; ++i) {
        const std::span tokens(rows[static_cast<std::size_t>(i)].tokens);
        writeInputs(tokens.first(tokens.size() - 1), integers.row(0, i));
        writeTargets(tokens.subspan(1), integers.row(1, i));
    }
    const std::vector<at::Tensor> tensors = integers.tensors();
    return {.inputs = {tensors[0]}, .targets = tensors[1], .countedTargets = countedTargets(rows)};
}

std::int64_t DecoderNetwork::countedTargets(std::span<const SampleRow> rows) const
{
    std::int64_t targets = 0;
    for (const SampleRow& row : rows)
        targets += std::max<std::int64_t>(0, tokensIn(row) - 1);
    return targets;
}

at::Tensor DecoderNetwork::loss(const Batch& batch, double normalizer) const
{
    const at::Tensor hidden = hiddenStates(batch.inputs.front(), batch.attentionMask);
    return tokenLoss(hidden.flatten(0, 1), m_output, batch.targets.flatten(), normalizer, lossCut());
}

at::Tensor DecoderNetwork::logits(const at::Tensor& tokens) const
{
    return projected(hiddenStates(tokens, {}), m_output);
}

at::Tensor DecoderNetwork::hiddenStates(const at::Tensor& tokens, const at::Tensor& attentionMask) const
{
    const at::Tensor mask = maskOf(attentionMask, tokens.size(1));
    at::Tensor hidden = embedded(tokens);
    for (const Layer& layer : m_layers) {
        hidden = throughLayer(
            [this, &layer, mask](const std::vector<at::Tensor>& inputs) {
                return through(layer, inputs.front(), mask);
            },
            {hidden});
    }
    askBetweenLayers(hidden);
    return normalized(hidden, m_finalNorm);
}

// Undefined where attention is causal and nothing else: kernels know that without a mask.
at::Tensor DecoderNetwork::maskOf(const at::Tensor& attentionMask, std::int64_t length) const
{
    at::Tensor distances;
    if (m_distances.defined())
        distances = m_distances.narrow(1, 0, length).narrow(2, 0, length);
    if (!attentionMask.defined())
        return distances;
    const at::Tensor present = attentionMask.view({-1, 1, 1, length});
    if (distances.defined())
        return distances.masked_fill(present.logical_not(), -std::numeric_limits<double>::infinity());
    return present.logical_and(at::ones({length, length}, present.options()).tril_());
}

at::Tensor DecoderNetwork::embedded(const at::Tensor& tokens) const
{
    at::Tensor hidden = at::embedding(rowsOf(m_tokenEmbedding), tokens);
    if (m_positionEmbedding.weight.defined())
        hidden = hidden.add(rowsOf(m_positionEmbedding).narrow(0, 0, tokens.size(1)));
    if (m_embeddingNorm.weight.defined())
        hidden = normalized(hidden, m_embeddingNorm);
    return dropped(hidden);
}

at::Tensor DecoderNetwork::through(const Layer& layer, const at::Tensor& hidden, const at::Tensor& mask) const
{
    const at::Tensor attended =
        hidden.add(dropped(attention(normalized(hidden, layer.attentionNorm), layer, mask)));
    return attended.add(dropped(feedForward(normalized(attended, layer.feedForwardNorm), layer)));
}

at::Tensor DecoderNetwork::normalized(const at::Tensor& input, const Affine& norm) const
{
    return network::normalized(input, norm, m_spec.normalization, m_spec.normalizationEpsilon);
}

at::Tensor DecoderNetwork::attention(const at::Tensor& input, const Layer& layer,
                                     const at::Tensor& mask) const
{
    const std::int64_t samples = input.size(0);
    const std::int64_t length = input.size(1);
    const std::int64_t keys = m_spec.keyValueHeads;
    const bool grouped = keys != m_spec.heads;

    const at::Tensor stacked =
        projected(input, layer.qkv).view({samples, length, m_spec.heads + 2 * keys, headSizeOf(m_spec)});
    auto [query, key, value] = attentionHeads(stacked, m_spec.heads, keys, m_rotary ? &*m_rotary : nullptr,
                                              layer.headNorms ? &*layer.headNorms : nullptr);
    // Beside a mask transformers repeats them too (use_gqa_in_sdpa in integrations/sdpa_attention.py).
    const bool repeats = grouped && (options().repeatsKeys || mask.defined());
    if (repeats) {
        key = at::repeat_interleave(key, m_spec.heads / keys, 1);
        value = at::repeat_interleave(value, m_spec.heads / keys, 1);
    }

    const double dropout = options().trains ? m_spec.attentionDropout : 0.0;
    const at::Tensor mixed = attend({.query = query,
                                     .key = key,
                                     .value = value,
                                     .mask = mask.defined() ? std::optional(mask) : std::nullopt,
                                     .dropout = dropout,
                                     .isCausal = !mask.defined(),
                                     .enableGqa = grouped && !repeats});
    return projected(joined(mixed), layer.attentionOutput);
}

at::Tensor DecoderNetwork::feedForward(const at::Tensor& input, const Layer& layer) const
{
    if (!layer.experts)
        return projected(activated(projected(input, layer.up), m_spec.activation), layer.down);
    const Stack up(layer.experts->up);
    const Stack down(layer.experts->down);
    const auto expert = [&](const at::Tensor& tokens, std::size_t index) {
        return down.of(activated(up.of(tokens, index), m_spec.activation), index);
    };
    return mixed(input.flatten(0, 1), layer.experts->router, m_spec.expertsPerToken, expert).view_as(input);
}

at::Tensor DecoderNetwork::dropped(const at::Tensor& input) const
{
    return network::dropped(input, m_spec.dropout, options().trains);
}

} // namespace batchpeak::network
