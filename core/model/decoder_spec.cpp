// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder_spec.h"

#include "decoder_layer.h"
#include "parameter.h"
#include "spec_checks.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::model {

namespace {

std::optional<std::string> problemWithHeadSize(const DecoderSpec& spec)
{
    if (spec.headSize == 0)
        return problemWithHeads(spec.hiddenSize, spec.heads);
    if (spec.headSize > 0)
        return problemWithSizes({{spec.headSize, "head size"}});
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

/// \param kind  word that precedes "layers": "windowed"
std::optional<std::string> problemWithLayers(const std::vector<std::int64_t>& layers, const std::string& kind,
                                             std::int64_t count)
{
    std::int64_t next = 0;
    for (const std::int64_t layer : layers) {
        if (layer < next || layer >= count) {
            return "The numbers of the " + kind + " layers must go up from 0 to at most " +
                   std::to_string(count - 1) + ", each once, but " + std::to_string(layer) + " does not.";
        }
        next = layer + 1;
    }
    return std::nullopt;
}

std::optional<std::string> problemWithWindows(const DecoderSpec& spec)
{
    if (spec.attentionWindow < 0) {
        return "The attention window is " + std::to_string(spec.attentionWindow) +
               ", but must be at least 1, or 0 for none.";
    }
    if (auto problem =
            problemWithSizes({{.size = spec.attentionWindow, .name = "attention window", .min = 0}}))
        return problem;
    if (spec.attentionWindow == 0 && !spec.windowedLayers.empty())
        return std::string("Layers keep to an attention window, so that must have at least 1 token.");
    if (spec.attentionWindow > 0 && spec.positionEmbedding == PositionEmbedding::Alibi)
        return std::string("Attention with ALiBi reaches all tokens before one; leave the window out.");
    if (auto problem = problemWithLayers(spec.windowedLayers, "windowed", spec.layers))
        return problem;
    return problemWithLayers(spec.unrotatedLayers, "unrotated", spec.layers);
}

std::optional<std::string> problemWithExperts(const DecoderSpec& spec)
{
    if (!chooseableExperts(spec)) {
        return "Each token takes " + std::to_string(spec.expertsPerToken) + " of " +
               std::to_string(spec.experts) + " experts, but must take at least 1 and at most all of them.";
    }
    if (auto problem = problemWithSizes(
            {{.size = spec.experts, .name = "number of experts", .min = 0},
             {.size = spec.expertsPerToken, .name = "number of experts of a token", .min = 0},
             {.size = spec.sharedExpertSize, .name = "size of the shared expert", .min = 0},
             {.size = spec.denseFeedForwardSize,
              .name = "feed-forward size of layers without experts",
              .min = 0}}))
        return problem;
    if (spec.denseLayers < 0 || spec.denseLayers > spec.layers) {
        return "The layers without experts are " + std::to_string(spec.denseLayers) + " of " +
               std::to_string(spec.layers) + ", but must be at least 0 and at most all of them.";
    }
    if (!hasExperts(spec) && (spec.sharedExpertSize > 0 || spec.denseLayers > 0)) {
        return std::string(
            "A shared expert and layers without experts are of a network that has experts; give "
            "their number, at least 2.");
    }
    if (spec.sharedExpertGate && spec.sharedExpertSize == 0)
        return std::string("The shared expert has a gate, so its size must be at least 1.");
    return std::nullopt;
}

std::optional<std::string> problemWithScores(const DecoderSpec& spec)
{
    for (const double cap : {spec.attentionSoftCap, spec.logitSoftCap}) {
        if (!(cap >= 0.0 && std::isfinite(cap)))
            return std::string("A soft cap must be a number above 0, or 0 for none.");
    }
    return problemWithSizes({{.size = spec.positionOffset, .name = "position offset", .min = 0}});
}

/// A LayerNorm without a bias has the parameters of an RMSNorm.
void addNormalization(ParameterTableBuilder& table, const std::string& name, const DecoderSpec& spec)
{
    table.normalization(name, spec.hiddenSize,
                        spec.normalizationBias ? spec.normalization : Normalization::RmsNorm);
}

void addAttention(ParameterTableBuilder& table, const std::string& prefix, const DecoderSpec& spec)
{
    const std::int64_t headSize = headSizeOf(spec);
    const std::int64_t queries = spec.heads * headSize;
    const std::int64_t keys = spec.keyValueHeads * headSize;
    addNormalization(table, prefix + "attention_norm", spec);
    table.linear(prefix + "attention.qkv",
                 {{Projection::Query, queries}, {Projection::Key, keys}, {Projection::Value, keys}},
                 spec.hiddenSize, spec.attentionBias);
    if (spec.queryKeyNormalization) {
        table.normalization(prefix + "attention.query_norm", headSize, Normalization::RmsNorm);
        table.normalization(prefix + "attention.key_norm", headSize, Normalization::RmsNorm);
    }
    table.linear(prefix + "attention.output", {{Projection::AttentionOutput, spec.hiddenSize}}, queries,
                 spec.attentionOutputBias);
    if (spec.branchOutputNormalization)
        addNormalization(table, prefix + "attention_output_norm", spec);
}

void addDense(ParameterTableBuilder& table, const std::string& name, std::int64_t size,
              const DecoderSpec& spec)
{
    table.linear(name + ".up", feedForwardInput(spec.activation, size), spec.hiddenSize,
                 spec.feedForwardBias);
    table.linear(name + ".down", {{Projection::Down, spec.hiddenSize}}, size, spec.feedForwardBias);
}

/// The shared expert can have adapters, since its matrices are separate layers; the routed experts cannot,
/// since they are parts of one parameter (Qwen2MoeSparseMoeBlock in transformers 5.23.0).
void addExperts(ParameterTableBuilder& table, const std::string& prefix, const DecoderSpec& spec)
{
    const std::int64_t inner = (isGated(spec.activation) ? 2 : 1) * spec.feedForwardSize;
    table.weight(prefix + "router.weight", {spec.experts, spec.hiddenSize});
    table.weight(prefix + "experts.up", {spec.experts, inner, spec.hiddenSize});
    table.weight(prefix + "experts.down", {spec.experts, spec.hiddenSize, spec.feedForwardSize});
    if (spec.sharedExpertSize > 0)
        addDense(table, prefix + "shared_expert", spec.sharedExpertSize, spec);
    if (spec.sharedExpertGate)
        table.projection(prefix + "shared_expert_gate.weight", Projection::Dense, {1, spec.hiddenSize});
}

void addFeedForward(ParameterTableBuilder& table, std::int64_t index, const std::string& prefix,
                    const DecoderSpec& spec)
{
    const DecoderLayer layer = decoderLayer(spec, index);
    if (spec.branches != Branches::Parallel)
        addNormalization(table, prefix + "feed_forward_norm", spec);
    if (layer.hasExperts)
        addExperts(table, prefix, spec);
    else
        addDense(table, prefix + "feed_forward", layer.feedForwardSize, spec);
    if (spec.branchOutputNormalization)
        addNormalization(table, prefix + "feed_forward_output_norm", spec);
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

std::int64_t defaultSequenceLength(const DecoderSpec& spec)
{
    return std::min(spec.maxPositions, defaultTokens);
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
                                         {spec.layers, "number of layers", maxLayers},
                                         {spec.heads, "number of attention heads", maxHeads},
                                         {spec.keyValueHeads, "number of key-value heads"},
                                         {spec.feedForwardSize, "feed-forward size"},
                                         {spec.maxPositions, "maximum sequence length"}}))
        return problem;
    if (auto problem = problemWithAttention(spec))
        return problem;
    if (auto problem = problemWithWindows(spec))
        return problem;
    if (auto problem = problemWithExperts(spec))
        return problem;
    if (auto problem = problemWithScores(spec))
        return problem;
    if (auto problem = problemWithNumbers({{spec.normalizationEpsilon, "epsilon of the normalizations"},
                                           {spec.ropeTheta, "base of rotary positions"}}))
        return problem;
    return problemWithDropout({spec.dropout, spec.attentionDropout});
}

std::vector<Parameter> parameterTable(const DecoderSpec& spec)
{
    ParameterTableBuilder table;
    table.embedding("embed_tokens.weight", spec.vocabularySize, spec.hiddenSize);
    if (spec.positionEmbedding == PositionEmbedding::Learned)
        table.embedding("embed_positions.weight", spec.positionOffset + spec.maxPositions, spec.hiddenSize);
    if (spec.embeddingNormalization)
        addNormalization(table, "embed_norm", spec);
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer) + ".";
        addAttention(table, prefix, spec);
        addFeedForward(table, layer, prefix, spec);
    }
    addNormalization(table, "final_norm", spec);
    if (!spec.tiedEmbeddings)
        table.projection("output.weight", Projection::Output, {spec.vocabularySize, spec.hiddenSize});
    if (spec.outputBias)
        table.bias("output.bias", spec.vocabularySize);
    return table.take();
}

} // namespace batchpeak::model
