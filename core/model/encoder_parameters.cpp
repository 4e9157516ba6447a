// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "encoder_spec.h"

#include "parameter_table_builder.h"

namespace batchpeak::model {

namespace {

constexpr Normalization layerNorm = Normalization::LayerNorm;
// Follows or does not.
constexpr std::int64_t sentenceClasses = 2;

void addEmbeddings(ParameterTableBuilder& table, const EncoderSpec& spec)
{
    table.weight("embed_tokens.weight", {spec.vocabularySize, spec.hiddenSize});
    if (spec.positionEmbedding == PositionEmbedding::Learned)
        table.weight("embed_positions.weight", {spec.maxPositions, spec.hiddenSize});
    if (spec.tokenTypes > 0)
        table.weight("embed_types.weight", {spec.tokenTypes, spec.hiddenSize});
    if (spec.embeddingNormalization)
        table.normalization("embed_norm", spec.hiddenSize, layerNorm);
}

void addLayer(ParameterTableBuilder& table, const std::string& prefix, const EncoderSpec& spec)
{
    const std::int64_t hidden = spec.hiddenSize;
    table.linear(prefix + "attention.qkv", 3 * hidden, hidden, true);
    table.linear(prefix + "attention.output", hidden, hidden, true);
    table.normalization(prefix + "attention_norm", hidden, layerNorm);
    table.linear(prefix + "feed_forward.up", spec.feedForwardSize, hidden, true);
    table.linear(prefix + "feed_forward.down", hidden, spec.feedForwardSize, true);
    table.normalization(prefix + "feed_forward_norm", hidden, layerNorm);
}

void addHeads(ParameterTableBuilder& table, const EncoderSpec& spec)
{
    if (spec.pooler)
        table.linear("pooler", spec.hiddenSize, spec.hiddenSize, true);
    if (spec.maskedLanguageHead) {
        table.linear("head.transform", spec.hiddenSize, spec.hiddenSize, true);
        table.normalization("head.norm", spec.hiddenSize, layerNorm);
        if (!spec.tiedEmbeddings)
            table.weight("output.weight", {spec.vocabularySize, spec.hiddenSize});
        table.bias("output.bias", spec.vocabularySize);
    }
    if (spec.nextSentenceHead)
        table.linear("next_sentence", sentenceClasses, spec.hiddenSize, true);
}

} // namespace

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
