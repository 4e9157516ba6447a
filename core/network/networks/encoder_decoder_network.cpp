// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "encoder_decoder_network.h"

#include "activations.h"
#include "collation.h"
#include "layer_operations.h"
#include "position_embeddings.h"
#include "token_loss.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace batchpeak::network {

namespace {

// Turns {samples, length, heads * size} into {samples, heads, length, size}.
at::Tensor intoHeads(const at::Tensor& input, std::int64_t size)
{
    return input.view({input.size(0), input.size(1), -1, size}).transpose(1, 2);
}

/// Returns {samples, 1, 1, length}: 0 for tokens, minus infinity for the encoder's padding; undefined without
/// padding.
at::Tensor paddingBias(const Batch& batch, at::ScalarType type)
{
    if (!batch.attentionMask.defined())
        return {};
    const at::Tensor padding =
        batch.attentionMask.logical_not().view({-1, 1, 1, batch.attentionMask.size(1)});
    return at::zeros(padding.sizes(), padding.options().dtype(type))
        .masked_fill_(padding, -std::numeric_limits<double>::infinity());
}

} // namespace

EncoderDecoderNetwork::EncoderDecoderNetwork(model::EncoderDecoderSpec spec, const FlatParameters& parameters,
                                             const NetworkOptions& options)
    : Network(options), m_spec(spec), m_tokenEmbedding(affineOf(parameters, "embed_tokens"))
{
    if (options.sequenceLength < 1 || options.targetLength < 1) {
        throw std::invalid_argument(
            "An encoder-decoder network reads two sequences of at least 1 token, but " +
            std::to_string(options.sequenceLength) + " and " + std::to_string(options.targetLength) +
            " tokens were given. Give both lengths.");
    }
    m_encoder = makeStack(parameters, "encoder.", m_spec.encoderLayers, options.sequenceLength);
    m_decoder = makeStack(parameters, "decoder.", m_spec.decoderLayers, options.targetLength);
    m_future = at::ones({options.targetLength, options.targetLength},
                        at::TensorOptions(options.device).dtype(at::kBool))
                   .triu_(1);
    m_output = outputOf(parameters, m_tokenEmbedding);
}

EncoderDecoderNetwork::Stack EncoderDecoderNetwork::makeStack(const FlatParameters& parameters,
                                                              const std::string& name, std::int64_t layers,
                                                              std::int64_t length) const
{
    const auto find = [&parameters, &name](const std::string& rest) {
        return affineOf(parameters, name + rest);
    };
    Stack stack{.finalNorm = find("final_norm"), .relativePositions = find("relative_positions")};
    for (std::int64_t i = 0; i < layers; ++i) {
        const std::string prefix = "layers." + std::to_string(i) + ".";
        Layer layer{transformerLayerOf(parameters, name + prefix)};
        layer.crossNorm = find(prefix + "cross_attention_norm");
        layer.crossQuery = find(prefix + "cross_attention.query");
        layer.crossKeyValue = find(prefix + "cross_attention.key_value");
        layer.crossOutput = find(prefix + "cross_attention.output");
        stack.layers.push_back(layer);
    }
    stack.buckets = relativeBucketTable({.count = m_spec.relativeBuckets,
                                         .maxDistance = m_spec.maxRelativeDistance,
                                         .bidirectional = name == "encoder."},
                                        length, length, options().device);
    return stack;
}

std::vector<std::int64_t> EncoderDecoderNetwork::bufferBytes(const model::EncoderDecoderSpec&,
                                                             const NetworkOptions& options)
{
    const std::int64_t encoder = options.sequenceLength * options.sequenceLength;
    const std::int64_t decoder = options.targetLength * options.targetLength;
    constexpr std::int64_t bucketBytes = sizeof(std::int32_t);
    return {encoder * bucketBytes, decoder * bucketBytes, decoder};
}

Batch EncoderDecoderNetwork::makeBatch(std::int64_t samples, std::int64_t sequenceLength) const
{
    const auto integers = at::TensorOptions(options().device).dtype(at::kLong);
    const std::int64_t targetLength =
        std::max<std::int64_t>(1, options().targetLength * sequenceLength / options().sequenceLength);
    const at::Tensor tokens = at::randint(m_spec.vocabularySize, {samples, sequenceLength}, integers);
    const at::Tensor targets = at::randint(m_spec.vocabularySize, {samples, targetLength}, integers);
    const at::Tensor decoderTokens =
        at::cat({at::zeros({samples, 1}, integers), targets.narrow(1, 0, targetLength - 1)}, 1);
    return {.inputs = {tokens, decoderTokens}, .targets = targets, .countedTargets = samples * targetLength};
}

std::int64_t EncoderDecoderNetwork::tokensPerRow() const
{
    return options().sequenceLength + options().targetLength;
}

std::int64_t EncoderDecoderNetwork::tokensToRead(const SampleRow& row) const
{
    const std::int64_t tokens = tokensIn(row);
    return std::max<std::int64_t>(std::min<std::int64_t>(1, tokens),
                                  tokens * options().sequenceLength / tokensPerRow());
}

Batch EncoderDecoderNetwork::batchOf(std::span<const SampleRow> rows) const
{
    const auto samples = static_cast<std::int64_t>(rows.size());
    const std::int64_t targetLength = options().targetLength;
    HostIntegers integers(options().device, samples, {options().sequenceLength, targetLength, targetLength});
    for (std::int64_t i = 0; i < samples; ++i) {
        const SampleRow& row = rows[static_cast<std::size_t>(i)];
        const auto read = static_cast<std::size_t>(tokensToRead(row));
        const auto targets =
            std::span(row.tokens).subspan(read, static_cast<std::size_t>(tokensIn(row)) - read);
        writeInputs(std::span(row.tokens).first(read), integers.row(0, i));
        if (!targets.empty())
            writeInputs(targets.first(targets.size() - 1), integers.row(1, i).subspan(1));
        writeTargets(targets, integers.row(2, i));
    }
    const std::vector<at::Tensor> tensors = integers.tensors();
    return {
        .inputs = {tensors[0], tensors[1]}, .targets = tensors[2], .countedTargets = countedTargets(rows)};
}

std::int64_t EncoderDecoderNetwork::countedTargets(std::span<const SampleRow> rows) const
{
    std::int64_t targets = 0;
    for (const SampleRow& row : rows)
        targets += tokensIn(row) - tokensToRead(row);
    return targets;
}

at::Tensor EncoderDecoderNetwork::loss(const Batch& batch, double normalizer) const
{
    at::Tensor hidden = decoded(batch);
    if (m_spec.tiedEmbeddings)
        hidden = hidden.mul(1.0 / std::sqrt(static_cast<double>(m_spec.hiddenSize)));
    return tokenLoss(hidden.flatten(0, 1), m_output, batch.targets.flatten(), normalizer, lossCut());
}

at::Tensor EncoderDecoderNetwork::decoded(const Batch& batch) const
{
    const at::Tensor memory = encoded(batch);
    const at::Tensor padding = paddingBias(batch, options().computeType);
    at::Tensor hidden = embedded(batch.inputs.at(1));
    const std::int64_t length = hidden.size(1);
    const at::Tensor future = m_future.narrow(0, 0, length).narrow(1, 0, length);
    const at::Tensor bias =
        positionBias(m_decoder, length).masked_fill_(future, -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < m_decoder.layers.size(); ++i) {
        hidden = throughLayer(
            m_encoder.layers.size() + i,
            [this, &layer = m_decoder.layers[i], padding](const std::vector<at::Tensor>& inputs) {
                const at::Tensor attending = withSelfAttention(inputs[0], inputs[2], layer);
                return withFeedForward(withCrossAttention(attending, inputs[1], padding, layer), layer);
            },
            {hidden, memory, bias});
    }
    askBetweenLayers(hidden);
    return dropped(normalized(hidden, m_decoder.finalNorm));
}

at::Tensor EncoderDecoderNetwork::encoded(const Batch& batch) const
{
    at::Tensor hidden = embedded(batch.inputs.at(0));
    at::Tensor bias = positionBias(m_encoder, hidden.size(1));
    if (const at::Tensor padding = paddingBias(batch, options().computeType); padding.defined())
        bias = bias.add(padding);
    for (std::size_t i = 0; i < m_encoder.layers.size(); ++i) {
        hidden =
            throughLayer(i,
                         [this, &layer = m_encoder.layers[i]](const std::vector<at::Tensor>& inputs) {
                             return withFeedForward(withSelfAttention(inputs[0], inputs[1], layer), layer);
                         },
                         {hidden, bias});
    }
    return dropped(normalized(hidden, m_encoder.finalNorm));
}

at::Tensor EncoderDecoderNetwork::embedded(const at::Tensor& tokens) const
{
    return dropped(at::embedding(m_tokenEmbedding.weight, tokens));
}

// Returns {1, heads, length, length}, contiguous in memory as the attention kernels require.
at::Tensor EncoderDecoderNetwork::positionBias(const Stack& stack, std::int64_t length) const
{
    const at::Tensor buckets = stack.buckets.narrow(0, 0, length).narrow(1, 0, length);
    const at::Tensor ofPairs = at::embedding(stack.relativePositions.weight, buckets);
    return ofPairs.to(options().computeType).permute({2, 0, 1}).unsqueeze(0).contiguous();
}

at::Tensor EncoderDecoderNetwork::withSelfAttention(const at::Tensor& hidden, const at::Tensor& bias,
                                                    const Layer& layer) const
{
    const std::vector<at::Tensor> parts =
        projected(normalized(hidden, layer.attentionNorm), layer.qkv).chunk(3, -1);
    return hidden.add(attended(parts[0], parts[1], parts[2], bias, layer.attentionOutput));
}

at::Tensor EncoderDecoderNetwork::withCrossAttention(const at::Tensor& hidden, const at::Tensor& memory,
                                                     const at::Tensor& mask, const Layer& layer) const
{
    const at::Tensor query = projected(normalized(hidden, layer.crossNorm), layer.crossQuery);
    const std::vector<at::Tensor> parts = projected(memory, layer.crossKeyValue).chunk(2, -1);
    return hidden.add(attended(query, parts[0], parts[1], mask, layer.crossOutput));
}

at::Tensor EncoderDecoderNetwork::attended(const at::Tensor& query, const at::Tensor& key,
                                           const at::Tensor& value, const at::Tensor& bias,
                                           const Affine& output) const
{
    const std::int64_t size = m_spec.headSize;
    const double dropout = options().trains ? m_spec.dropout : 0.0;
    // Products are not scaled: T5's initialization takes care of that (arXiv 1910.10683's code, and
    // transformers).
    const at::Tensor mixed = attend({.query = intoHeads(query, size),
                                     .key = intoHeads(key, size),
                                     .value = intoHeads(value, size),
                                     .mask = bias.defined() ? std::optional(bias) : std::nullopt,
                                     .dropout = dropout,
                                     .scale = 1.0});
    return dropped(projected(joined(mixed), output));
}

at::Tensor EncoderDecoderNetwork::withFeedForward(const at::Tensor& hidden, const Layer& layer) const
{
    const at::Tensor inner = projected(normalized(hidden, layer.feedForwardNorm), layer.up);
    return hidden.add(dropped(projected(dropped(activated(inner, m_spec.activation)), layer.down)));
}

at::Tensor EncoderDecoderNetwork::normalized(const at::Tensor& input, const Affine& norm) const
{
    return network::normalized(input, norm, m_spec.normalization, m_spec.normalizationEpsilon);
}

at::Tensor EncoderDecoderNetwork::dropped(const at::Tensor& input) const
{
    return network::dropped(input, m_spec.dropout, options().trains);
}

} // namespace batchpeak::network
