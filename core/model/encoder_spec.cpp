// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "encoder_spec.h"

#include "parameter.h"
#include "spec_checks.h"

namespace batchpeak::model {

namespace {

std::optional<std::string> problemWithParts(const EncoderSpec& spec)
{
    if (auto problem = problemWithSizes(
            {{.size = spec.tokenTypes, .name = "number of token types", .min = 0},
             {.size = spec.predictedTokens, .name = "number of predicted tokens", .min = 0}}))
        return problem;
    if (spec.positionEmbedding == PositionEmbedding::Alibi)
        return std::string("An encoder has learned or rotary positions, not ALiBi.");
    if (isGated(spec.activation))
        return std::string("The feed-forward layers of an encoder are not gated.");
    if (!spec.maskedLanguageHead && !spec.nextSentenceHead) {
        return std::string("The network has neither a masked-language head nor a next-sentence head, so "
                           "there is nothing that it could learn.");
    }
    if (spec.nextSentenceHead && !spec.pooler)
        return std::string("The next-sentence head works on the pooled token, so it needs the pooler.");
    if (spec.tokenDropout && (spec.maskToken < 0 || spec.maskToken >= spec.vocabularySize)) {
        return "The mask token " + std::to_string(spec.maskToken) + " is none of the vocabulary's " +
               std::to_string(spec.vocabularySize) + " tokens.";
    }
    return std::nullopt;
}

constexpr Normalization layerNorm = Normalization::LayerNorm;

void addEmbeddings(ParameterTableBuilder& table, const EncoderSpec& spec)
{
    table.embedding("embed_tokens.weight", spec.vocabularySize, spec.hiddenSize);
    if (spec.positionEmbedding == PositionEmbedding::Learned)
        table.embedding("embed_positions.weight", spec.maxPositions, spec.hiddenSize);
    if (spec.tokenTypes > 0)
        table.embedding("embed_types.weight", spec.tokenTypes, spec.hiddenSize);
    if (spec.embeddingNormalization)
        table.normalization("embed_norm", spec.hiddenSize, layerNorm);
}

void addLayer(ParameterTableBuilder& table, const std::string& prefix, const EncoderSpec& spec)
{
    const std::int64_t hidden = spec.hiddenSize;
    table.linear(prefix + "attention.qkv",
                 {{Projection::Query, hidden}, {Projection::Key, hidden}, {Projection::Value, hidden}},
                 hidden, true);
    table.linear(prefix + "attention.output", {{Projection::AttentionOutput, hidden}}, hidden, true);
    table.normalization(prefix + "attention_norm", hidden, layerNorm);
    table.linear(prefix + "feed_forward.up", {{Projection::Up, spec.feedForwardSize}}, hidden, true);
    table.linear(prefix + "feed_forward.down", {{Projection::Down, hidden}}, spec.feedForwardSize, true);
    table.normalization(prefix + "feed_forward_norm", hidden, layerNorm);
}

void addHeads(ParameterTableBuilder& table, const EncoderSpec& spec)
{
    if (spec.pooler)
        table.linear("pooler", {{Projection::Dense, spec.hiddenSize}}, spec.hiddenSize, true);
    if (spec.maskedLanguageHead) {
        table.linear("head.transform", {{Projection::Dense, spec.hiddenSize}}, spec.hiddenSize, true);
        table.normalization("head.norm", spec.hiddenSize, layerNorm);
        if (!spec.tiedEmbeddings)
            table.projection("output.weight", Projection::Output, {spec.vocabularySize, spec.hiddenSize});
        table.bias("output.bias", spec.vocabularySize);
    }
    if (spec.nextSentenceHead)
        table.linear("next_sentence", spec.sentenceClasses, spec.hiddenSize, true);
}

} // namespace

std::int64_t defaultSequenceLength(const EncoderSpec& spec)
{
    return spec.maxPositions;
}

std::optional<std::int64_t> longestSequence(const EncoderSpec& spec)
{
    if (spec.positionEmbedding != PositionEmbedding::Learned)
        return std::nullopt;
    return spec.maxPositions;
}

std::optional<std::string> problemWith(const EncoderSpec& spec)
{
    if (auto problem = problemWithSizes({{spec.vocabularySize, "vocabulary size"},
                                         {spec.hiddenSize, "hidden size"},
                                         {spec.layers, "number of layers", maxLayers},
                                         {spec.heads, "number of attention heads", maxHeads},
                                         {spec.feedForwardSize, "feed-forward size"},
                                         {spec.maxPositions, "maximum sequence length"},
                                         {spec.sentenceClasses, "number of classes of a text"}}))
        return problem;
    if (auto problem = problemWithHeads(spec.hiddenSize, spec.heads))
        return problem;
    if (auto problem = problemWithRotation(spec.rotaryDimensions, spec.hiddenSize / spec.heads))
        return problem;
    if (auto problem = problemWithParts(spec))
        return problem;
    if (auto problem = problemWithNumbers({{spec.normalizationEpsilon, "epsilon of the normalizations"},
                                           {spec.ropeTheta, "base of rotary positions"}}))
        return problem;
    return problemWithDropout({spec.dropout, spec.attentionDropout});
}

std::vector<Parameter> parameterTable(const EncoderSpec& spec)
{
    ParameterTableBuilder table;
    addEmbeddings(table, spec);
    for (std::int64_t layer = 0; layer < spec.layers; ++layer)
        addLayer(table, "layers." + std::to_string(layer) + ".", spec);
    if (spec.finalNormalization)
        table.normalization("final_norm", spec.hiddenSize, layerNorm);
    addHeads(table, spec);
    return table.take();
}

} // namespace batchpeak::model
