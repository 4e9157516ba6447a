// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder_network.h"

#include "activations.h"
#include "collation.h"
#include "kernels/quantized_linear.h"
#include "kernels/quantized_matrix.h"
#include "layer_operations.h"
#include "model/decoder_layer.h"
#include "optimizers/flat_parameters.h"
#include "position_embeddings.h"
#include "token_loss.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/repeat_interleave.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace batchpeak::network {

namespace {

bool isRotary(const model::DecoderSpec& spec)
{
    return spec.positionEmbedding == model::PositionEmbedding::Rotary;
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
        // Unbound in one operation: the backward pass of single slices would make the gradient of the whole
        // stack for each.
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
    std::vector<std::int64_t> bytes = AttentionMasks::bufferBytes(spec, options);
    if (isRotary(spec)) {
        const auto element = static_cast<std::int64_t>(c10::elementSize(options.computeType));
        const std::int64_t table =
            RotaryPositions::tableElements(rotaryDimensionsOf(spec), options.sequenceLength) * element;
        bytes.insert(bytes.end(), {table, table});
    }
    return bytes;
}

DecoderNetwork::DecoderNetwork(model::DecoderSpec spec, const FlatParameters& parameters,
                               const NetworkOptions& options)
    : Network(options), m_spec(std::move(spec)), m_masks(m_spec, options)
{
    const auto longest = model::longestSequence(m_spec);
    if (options.sequenceLength < 1 || (longest && options.sequenceLength > *longest)) {
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
}

void DecoderNetwork::findLayers(const FlatParameters& parameters)
{
    for (std::int64_t i = 0; i < m_spec.layers; ++i) {
        const std::string prefix = "layers." + std::to_string(i) + ".";
        const model::DecoderLayer kind = model::decoderLayer(m_spec, i);
        Layer layer{transformerLayerOf(parameters, prefix)};
        layer.isRotated = kind.isRotated;
        layer.isWindowed = kind.isWindowed;
        layer.attentionOutputNorm = affineOf(parameters, prefix + "attention_output_norm");
        layer.feedForwardOutputNorm = affineOf(parameters, prefix + "feed_forward_output_norm");
        if (m_spec.queryKeyNormalization) {
            layer.headNorms = HeadNorms{.query = affineOf(parameters, prefix + "attention.query_norm"),
                                        .key = affineOf(parameters, prefix + "attention.key_norm"),
                                        .epsilon = m_spec.normalizationEpsilon};
        }
        if (kind.hasExperts)
            layer.experts = expertsOf(parameters, prefix);
        m_layers.push_back(std::move(layer));
    }
}

DecoderNetwork::Experts DecoderNetwork::expertsOf(const FlatParameters& parameters,
                                                  const std::string& prefix) const
{
    Experts experts{.router = parameters.at(prefix + "router.weight"),
                    .up = stackOf(parameters, prefix + "experts.up"),
                    .down = stackOf(parameters, prefix + "experts.down")};
    if (m_spec.sharedExpertSize > 0) {
        experts.shared = SharedExpert{.up = affineOf(parameters, prefix + "shared_expert.up"),
                                      .down = affineOf(parameters, prefix + "shared_expert.down"),
                                      .gate = affineOf(parameters, prefix + "shared_expert_gate")};
    }
    return experts;
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
    LossCut cut = lossCut();
    cut.softCap = m_spec.logitSoftCap;
    return tokenLoss(hidden.flatten(0, 1), m_output, batch.targets.flatten(), normalizer, cut);
}

at::Tensor DecoderNetwork::logits(const at::Tensor& tokens) const
{
    return softCapped(projected(hiddenStates(tokens, {}), m_output), m_spec.logitSoftCap);
}

at::Tensor DecoderNetwork::hiddenStates(const at::Tensor& tokens, const at::Tensor& attentionMask) const
{
    const AttentionMasks::Masks masks = m_masks.of(attentionMask, tokens.size(1));
    at::Tensor hidden = embedded(tokens);
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const Layer& layer = m_layers[i];
        const at::Tensor& mask = layer.isWindowed ? masks.windowed : masks.all;
        hidden = throughLayer(i,
                              [this, &layer, mask](const std::vector<at::Tensor>& inputs) {
                                  return through(layer, inputs.front(), mask);
                              },
                              {hidden});
    }
    askBetweenLayers(hidden);
    return normalized(hidden, m_finalNorm);
}

at::Tensor DecoderNetwork::embedded(const at::Tensor& tokens) const
{
    at::Tensor hidden = at::embedding(rowsOf(m_tokenEmbedding), tokens);
    if (m_positionEmbedding.weight.defined())
        hidden = hidden.add(rowsOf(m_positionEmbedding).narrow(0, m_spec.positionOffset, tokens.size(1)));
    if (m_embeddingNorm.weight.defined())
        hidden = normalized(hidden, m_embeddingNorm);
    return dropped(hidden);
}

at::Tensor DecoderNetwork::through(const Layer& layer, const at::Tensor& hidden, const at::Tensor& mask) const
{
    const auto attended = [&](const at::Tensor& input) {
        return ofBranch(attention(input, layer, mask), layer.attentionOutputNorm);
    };
    const auto fed = [&](const at::Tensor& input) {
        return ofBranch(feedForward(input, layer), layer.feedForwardOutputNorm);
    };
    at::Tensor sum;
    switch (m_spec.branches) {
    case model::Branches::Sequential:
        sum = hidden.add(attended(normalized(hidden, layer.attentionNorm)));
        return sum.add(fed(normalized(sum, layer.feedForwardNorm)));
    case model::Branches::Parallel: {
        const at::Tensor input = normalized(hidden, layer.attentionNorm);
        sum = hidden.add(attended(input));
        return sum.add(fed(input));
    }
    case model::Branches::ParallelNorms:
        sum = hidden.add(attended(normalized(hidden, layer.attentionNorm)));
        return sum.add(fed(normalized(hidden, layer.feedForwardNorm)));
    }
    return sum;
}

at::Tensor DecoderNetwork::ofBranch(const at::Tensor& output, const Affine& norm) const
{
    return dropped(norm.weight.defined() ? normalized(output, norm) : output);
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
    auto [query, key, value] =
        attentionHeads(stacked, m_spec.heads, keys, layer.isRotated ? &*m_rotary : nullptr,
                       layer.headNorms ? &*layer.headNorms : nullptr);
    // If there is a mask, transformers repeats keys too (use_gqa_in_sdpa in integrations/sdpa_attention.py).
    const bool repeats = grouped && (options().repeatsKeys || mask.defined());
    if (repeats) {
        key = at::repeat_interleave(key, m_spec.heads / keys, 1);
        value = at::repeat_interleave(value, m_spec.heads / keys, 1);
    }

    const double dropout = options().trains ? m_spec.attentionDropout : 0.0;
    const AttentionInputs inputs{.query = query,
                                 .key = key,
                                 .value = value,
                                 .mask = mask.defined() ? std::optional(mask) : std::nullopt,
                                 .dropout = dropout,
                                 .isCausal = !mask.defined(),
                                 .enableGqa = grouped && !repeats,
                                 .softCap = m_spec.attentionSoftCap};
    const bool isCut = options().packedTextLength > 0 && !mask.defined();
    return projected(joined(isCut ? attendTexts(inputs) : attend(inputs)), layer.attentionOutput);
}

at::Tensor DecoderNetwork::attendTexts(const AttentionInputs& inputs) const
{
    const std::int64_t samples = inputs.query.size(0);
    const std::int64_t length = inputs.query.size(2);
    const auto ofTexts = [&](std::int64_t first, std::int64_t tokens, std::int64_t textLength) {
        AttentionInputs texts = inputs;
        for (at::Tensor* heads : {&texts.query, &texts.key, &texts.value})
            *heads = textsApart(heads->narrow(2, first, tokens), textLength);
        return textsTogether(attend(texts), samples);
    };
    const std::int64_t textLength = std::min(options().packedTextLength, length);
    // The last text may be shorter.
    const std::int64_t rest = length % textLength;
    at::Tensor whole = ofTexts(0, length - rest, textLength);
    if (rest == 0)
        return whole;
    // No braced list in a conditional expression: if a part of it throws, GCC 12 destroys the other elements
    // after their storage is gone.
    const at::Tensor last = ofTexts(length - rest, rest, rest);
    return at::cat({whole, last}, 2);
}

at::Tensor DecoderNetwork::feedForward(const at::Tensor& input, const Layer& layer) const
{
    if (!layer.experts)
        return throughDense(input, layer.up, layer.down);
    if (!layer.experts->shared)
        return throughExperts(input, *layer.experts);
    const at::Tensor shared = throughShared(input, *layer.experts->shared);
    return throughExperts(input, *layer.experts).add(shared);
}

at::Tensor DecoderNetwork::throughDense(const at::Tensor& input, const Affine& up, const Affine& down) const
{
    return projected(activated(projected(input, up), m_spec.activation), down);
}

at::Tensor DecoderNetwork::throughExperts(const at::Tensor& input, const Experts& experts) const
{
    const Stack up(experts.up);
    const Stack down(experts.down);
    const auto expert = [&](const at::Tensor& tokens, std::size_t index) {
        return down.of(activated(up.of(tokens, index), m_spec.activation), index);
    };
    return mixed(input.flatten(0, 1), experts.router, m_spec.expertsPerToken, expert).view_as(input);
}

at::Tensor DecoderNetwork::throughShared(const at::Tensor& input, const SharedExpert& expert) const
{
    at::Tensor output = throughDense(input, expert.up, expert.down);
    if (!m_spec.sharedExpertGate)
        return output;
    return projected(input, expert.gate).sigmoid().mul(output);
}

at::Tensor DecoderNetwork::dropped(const at::Tensor& input) const
{
    return network::dropped(input, m_spec.dropout, options().trains);
}

} // namespace batchpeak::network
