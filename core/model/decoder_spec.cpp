// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder_spec.h"

#include "parameter.h"
#include "spec_checks.h"

#include <algorithm>

namespace batchpeak::model {

namespace {

std::optional<std::string> problemWithHeadSize(const DecoderSpec& spec)
{
    if (spec.headSize == 0)
        return problemWithHeads(spec.hiddenSize, spec.heads);
    if (spec.headSize > 0)
        return std::nullopt;
    return "The head size is " + std::to_string(spec.headSize) +
           ", but must be at least 1, or 0 for the hidden size divided by the number of heads.";
}

std::optional<std::string> problemWithAttention(const DecoderSpec& spec)
{
    if (auto problem = problemWithHeadSize(spec))
        return problem;
    if (spec.heads % spec.keyValueHeads != 0) {
        return "The " + std::to_string(spec.heads) + " attention heads are not a multiple of the " +
               std::to_string(spec.keyValueHeads) + " key-value heads.";
    }
    const bool isRotary = spec.positionEmbedding == PositionEmbedding::Rotary;
    return problemWithRotation(isRotary ? rotaryDimensionsOf(spec) : spec.rotaryDimensions, headSizeOf(spec));
}

void addAttention(ParameterTableBuilder& table, const std::string& prefix, const DecoderSpec& spec)
{
    const std::int64_t headSize = headSizeOf(spec);
    const std::int64_t queries = spec.heads * headSize;
    const std::int64_t keys = spec.keyValueHeads * headSize;
    table.normalization(prefix + "attention_norm", spec.hiddenSize, spec.normalization);
    table.linear(prefix + "attention.qkv",
                 {{Projection::Query, queries}, {Projection::Key, keys}, {Projection::Value, keys}},
                 spec.hiddenSize, spec.attentionBias);
    if (spec.queryKeyNormalization) {
        table.normalization(prefix + "attention.query_norm", headSize, Normalization::RmsNorm);
        table.normalization(prefix + "attention.key_norm", headSize, Normalization::RmsNorm);
    }
    table.linear(prefix + "attention.output", {{Projection::AttentionOutput, spec.hiddenSize}}, queries,
                 spec.attentionOutputBias);
}

void addFeedForward(ParameterTableBuilder& table, const std::string& prefix, const DecoderSpec& spec)
{
    const std::int64_t inner = (isGated(spec.activation) ? 2 : 1) * spec.feedForwardSize;
    table.normalization(prefix + "feed_forward_norm", spec.hiddenSize, spec.normalization);
    if (hasExperts(spec)) {
        table.weight(prefix + "router.weight", {spec.experts, spec.hiddenSize});
        table.weight(prefix + "experts.up", {spec.experts, inner, spec.hiddenSize});
        table.weight(prefix + "experts.down", {spec.experts, spec.hiddenSize, spec.feedForwardSize});
        return;
    }
    table.linear(prefix + "feed_forward.up", feedForwardInput(spec.activation, spec.feedForwardSize),
                 spec.hiddenSize, spec.feedForwardBias);
    table.linear(prefix + "feed_forward.down", {{Projection::Down, spec.hiddenSize}}, spec.feedForwardSize,
                 spec.feedForwardBias);
}

} // namespace

std::int64_t headSizeOf(const DecoderSpec& spec)
{
    return spec.headSize != 0 ? spec.headSize : spec.hiddenSize / spec.heads;
}

std::int64_t rotaryDimensionsOf(const DecoderSpec& spec)
{
    return spec.rotaryDimensions != 0 ? spec.rotaryDimensions : headSizeOf(spec);
}

namespace {

/// Where nobody says how long samples are: networks that take a hundred thousand tokens are hardly ever
/// trained on samples so long, of which no device would fit one. cutoff_len of LLaMA-Factory 0.9.4 is as
/// much.
constexpr std::int64_t usualTokens = 2048;

} // namespace

bool hasExperts(const DecoderSpec& spec)
{
    return spec.experts > 1;
}

bool chooseableExperts(const DecoderSpec& spec)
{
    if (!hasExperts(spec))
        return spec.experts >= 0;
    return spec.expertsPerToken >= 1 && spec.expertsPerToken <= spec.experts;
}

std::int64_t usualSequenceLength(const DecoderSpec& spec)
{
    return std::min(spec.maxPositions, usualTokens);
}

std::optional<std::int64_t> longestSequence(const DecoderSpec& spec)
{
    if (spec.positionEmbedding != PositionEmbedding::Learned)
        return std::nullopt;
    return spec.maxPositions;
}

std::optional<std::string> problemWith(const DecoderSpec& spec)
{
    if (auto problem = problemWithSizes({{spec.vocabularySize, "vocabulary size"},
                                         {spec.hiddenSize, "hidden size"},
                                         {spec.layers, "number of layers"},
                                         {spec.heads, "number of attention heads"},
                                         {spec.keyValueHeads, "number of key-value heads"},
                                         {spec.feedForwardSize, "feed-forward size"},
                                         {spec.maxPositions, "maximum sequence length"}}))
        return problem;
    if (auto problem = problemWithAttention(spec))
        return problem;
    if (!chooseableExperts(spec)) {
        return "Each token takes " + std::to_string(spec.expertsPerToken) + " of " +
               std::to_string(spec.experts) + " experts, but must take at least 1 and at most all of them.";
    }
    return problemWithDropout({spec.dropout, spec.attentionDropout});
}

std::vector<Parameter> parameterTable(const DecoderSpec& spec)
{
    ParameterTableBuilder table;
    table.weight("embed_tokens.weight", {spec.vocabularySize, spec.hiddenSize});
    if (spec.positionEmbedding == PositionEmbedding::Learned)
        table.weight("embed_positions.weight", {spec.maxPositions, spec.hiddenSize});
    if (spec.embeddingNormalization)
        table.normalization("embed_norm", spec.hiddenSize, spec.normalization);
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer) + ".";
        addAttention(table, prefix, spec);
        addFeedForward(table, prefix, spec);
    }
    table.normalization("final_norm", spec.hiddenSize, spec.normalization);
    if (!spec.tiedEmbeddings)
        table.projection("output.weight", Projection::Output, {spec.vocabularySize, spec.hiddenSize});
    if (spec.outputBias)
        table.bias("output.bias", spec.vocabularySize);
    return table.take();
}

} // namespace batchpeak::model
