// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder_spec.h"

#include "parameter_table_builder.h"

namespace batchpeak::model {

namespace {

void addAttention(ParameterTableBuilder& table, const std::string& prefix, const DecoderSpec& spec)
{
    const std::int64_t headSize = headSizeOf(spec);
    const std::int64_t queries = spec.heads * headSize;
    const std::int64_t keys = spec.keyValueHeads * headSize;
    table.normalization(prefix + "attention_norm", spec.hiddenSize, spec.normalization);
    table.linear(prefix + "attention.qkv", queries + 2 * keys, spec.hiddenSize, spec.attentionBias);
    if (spec.queryKeyNormalization) {
        table.normalization(prefix + "attention.query_norm", headSize, Normalization::RmsNorm);
        table.normalization(prefix + "attention.key_norm", headSize, Normalization::RmsNorm);
    }
    table.linear(prefix + "attention.output", spec.hiddenSize, queries, spec.attentionOutputBias);
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
    table.linear(prefix + "feed_forward.up", inner, spec.hiddenSize, spec.feedForwardBias);
    table.linear(prefix + "feed_forward.down", spec.hiddenSize, spec.feedForwardSize, spec.feedForwardBias);
}

} // namespace

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
        table.weight("output.weight", {spec.vocabularySize, spec.hiddenSize});
    if (spec.outputBias)
        table.bias("output.bias", spec.vocabularySize);
    return table.take();
}

} // namespace batchpeak::model
