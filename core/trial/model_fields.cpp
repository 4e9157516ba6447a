// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_fields.h"

namespace batchpeak::trial {

namespace {

Json toJson(const model::DecoderSpec& spec)
{
    return {
        {"vocabulary_size", spec.vocabularySize},
        {"hidden_size", spec.hiddenSize},
        {"layers", spec.layers},
        {"heads", spec.heads},
        {"key_value_heads", spec.keyValueHeads},
        {"feed_forward_size", spec.feedForwardSize},
        {"max_positions", spec.maxPositions},
        {"position_embedding", toText(spec.positionEmbedding)},
        {"normalization", toText(spec.normalization)},
        {"activation", toText(spec.activation)},
        {"tied_embeddings", spec.tiedEmbeddings},
        {"attention_bias", spec.attentionBias},
        {"attention_output_bias", spec.attentionOutputBias},
        {"feed_forward_bias", spec.feedForwardBias},
        {"output_bias", spec.outputBias},
        {"embedding_normalization", spec.embeddingNormalization},
        {"normalization_epsilon", spec.normalizationEpsilon},
        {"rope_theta", spec.ropeTheta},
        {"rotary_dimensions", spec.rotaryDimensions},
        {"experts", spec.experts},
        {"experts_per_token", spec.expertsPerToken},
        {"dropout", spec.dropout},
        {"attention_dropout", spec.attentionDropout},
    };
}

model::DecoderSpec decoderFrom(const FieldReader& fields)
{
    const model::DecoderSpec otherwise;
    return {
        .vocabularySize = fields.integer("vocabulary_size", otherwise.vocabularySize),
        .hiddenSize = fields.integer("hidden_size", otherwise.hiddenSize),
        .layers = fields.integer("layers", otherwise.layers),
        .heads = fields.integer("heads", otherwise.heads),
        .keyValueHeads = fields.integer("key_value_heads", otherwise.keyValueHeads),
        .feedForwardSize = fields.integer("feed_forward_size", otherwise.feedForwardSize),
        .maxPositions = fields.integer("max_positions", otherwise.maxPositions),
        .positionEmbedding = fields.word("position_embedding", model::positionEmbeddingFromText,
                                         std::optional(otherwise.positionEmbedding)),
        .normalization = fields.word("normalization", model::normalizationFromText,
                                     std::optional(otherwise.normalization)),
        .activation =
            fields.word("activation", model::activationFromText, std::optional(otherwise.activation)),
        .tiedEmbeddings = fields.boolean("tied_embeddings", otherwise.tiedEmbeddings),
        .attentionBias = fields.boolean("attention_bias", otherwise.attentionBias),
        .attentionOutputBias = fields.boolean("attention_output_bias", otherwise.attentionOutputBias),
        .feedForwardBias = fields.boolean("feed_forward_bias", otherwise.feedForwardBias),
        .outputBias = fields.boolean("output_bias", otherwise.outputBias),
        .embeddingNormalization = fields.boolean("embedding_normalization", otherwise.embeddingNormalization),
        .normalizationEpsilon = fields.number("normalization_epsilon", otherwise.normalizationEpsilon),
        .ropeTheta = fields.number("rope_theta", otherwise.ropeTheta),
        .rotaryDimensions = fields.integer("rotary_dimensions", otherwise.rotaryDimensions),
        .experts = fields.integer("experts", otherwise.experts),
        .expertsPerToken = fields.integer("experts_per_token", otherwise.expertsPerToken),
        .dropout = fields.number("dropout", otherwise.dropout),
        .attentionDropout = fields.number("attention_dropout", otherwise.attentionDropout),
    };
}

} // namespace

Json modelToJson(const model::ModelSpec& spec)
{
    Json fields =
        std::visit([](const auto& architecture) { return toJson(architecture); }, spec.architecture);
    fields["family"] = spec.family;
    return fields;
}

model::ModelSpec modelSpecFrom(const FieldReader& fields)
{
    return {.family = fields.text("family"), .architecture = decoderFrom(fields)};
}

} // namespace batchpeak::trial
