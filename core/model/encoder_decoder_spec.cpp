// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "encoder_decoder_spec.h"

#include "parameter.h"
#include "spec_checks.h"

namespace batchpeak::model {

namespace {

void addNormalization(ParameterTableBuilder& table, const std::string& name, const EncoderDecoderSpec& spec)
{
    table.normalization(name, spec.hiddenSize, spec.normalization);
}

void addSelfAttention(ParameterTableBuilder& table, const std::string& prefix, const EncoderDecoderSpec& spec)
{
    const std::int64_t inner = spec.heads * spec.headSize;
    addNormalization(table, prefix + "attention_norm", spec);
    table.linear(prefix + "attention.qkv",
                 {{Projection::Query, inner}, {Projection::Key, inner}, {Projection::Value, inner}},
                 spec.hiddenSize, false);
    table.linear(prefix + "attention.output", {{Projection::AttentionOutput, spec.hiddenSize}}, inner, false);
}

void addCrossAttention(ParameterTableBuilder& table, const std::string& prefix,
                       const EncoderDecoderSpec& spec)
{
    const std::int64_t inner = spec.heads * spec.headSize;
    addNormalization(table, prefix + "cross_attention_norm", spec);
    table.linear(prefix + "cross_attention.query", {{Projection::CrossQuery, inner}}, spec.hiddenSize, false);
    table.linear(prefix + "cross_attention.key_value",
                 {{Projection::CrossKey, inner}, {Projection::CrossValue, inner}}, spec.hiddenSize, false);
    table.linear(prefix + "cross_attention.output", {{Projection::CrossOutput, spec.hiddenSize}}, inner,
                 false);
}

void addFeedForward(ParameterTableBuilder& table, const std::string& prefix, const EncoderDecoderSpec& spec)
{
    addNormalization(table, prefix + "feed_forward_norm", spec);
    table.linear(prefix + "feed_forward.up", feedForwardInput(spec.activation, spec.feedForwardSize),
                 spec.hiddenSize, false);
    table.linear(prefix + "feed_forward.down", {{Projection::Down, spec.hiddenSize}}, spec.feedForwardSize,
                 false);
}

} // namespace

std::int64_t defaultSequenceLength(const EncoderDecoderSpec&)
{
    return 512;
}

std::int64_t defaultTargetLength(const EncoderDecoderSpec&)
{
    return 114;
}

std::optional<std::int64_t> longestSequence(const EncoderDecoderSpec&)
{
    return std::nullopt;
}

std::optional<std::string> problemWith(const EncoderDecoderSpec& spec)
{
    if (auto problem = problemWithSizes({{spec.vocabularySize, "vocabulary size"},
                                         {spec.hiddenSize, "hidden size"},
                                         {spec.encoderLayers, "number of encoder layers", maxLayers},
                                         {spec.decoderLayers, "number of decoder layers", maxLayers},
                                         {spec.heads, "number of attention heads", maxHeads},
                                         {spec.headSize, "size of an attention head"},
                                         {spec.feedForwardSize, "feed-forward size"}}))
        return problem;
    // Half of the buckets of a direction hold one distance each, and the encoder has two directions.
    if (spec.relativeBuckets < 4 || spec.relativeBuckets % 4 != 0) {
        return "The number of relative position buckets is " + std::to_string(spec.relativeBuckets) +
               ", but must be a multiple of 4.";
    }
    if (spec.maxRelativeDistance <= spec.relativeBuckets / 2) {
        return "The maximum relative distance " + std::to_string(spec.maxRelativeDistance) +
               " must be more than half of the " + std::to_string(spec.relativeBuckets) +
               " relative position buckets.";
    }
    if (auto problem = problemWithSizes({{spec.relativeBuckets, "number of relative position buckets"},
                                         {spec.maxRelativeDistance, "maximum relative distance"}}))
        return problem;
    if (auto problem = problemWithNumbers({{spec.normalizationEpsilon, "epsilon of the normalizations"}}))
        return problem;
    return problemWithDropout({spec.dropout});
}

std::vector<Parameter> parameterTable(const EncoderDecoderSpec& spec)
{
    ParameterTableBuilder table;
    table.embedding("embed_tokens.weight", spec.vocabularySize, spec.hiddenSize);
    table.embedding("encoder.relative_positions.weight", spec.relativeBuckets, spec.heads);
    for (std::int64_t layer = 0; layer < spec.encoderLayers; ++layer) {
        const std::string prefix = "encoder.layers." + std::to_string(layer) + ".";
        addSelfAttention(table, prefix, spec);
        addFeedForward(table, prefix, spec);
    }
    addNormalization(table, "encoder.final_norm", spec);
    table.embedding("decoder.relative_positions.weight", spec.relativeBuckets, spec.heads);
    for (std::int64_t layer = 0; layer < spec.decoderLayers; ++layer) {
        const std::string prefix = "decoder.layers." + std::to_string(layer) + ".";
        addSelfAttention(table, prefix, spec);
        addCrossAttention(table, prefix, spec);
        addFeedForward(table, prefix, spec);
    }
    addNormalization(table, "decoder.final_norm", spec);
    if (!spec.tiedEmbeddings)
        table.projection("output.weight", Projection::Output, {spec.vocabularySize, spec.hiddenSize});
    return table.take();
}

} // namespace batchpeak::model
