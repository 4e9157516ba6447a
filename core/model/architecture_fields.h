// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model_spec.h"

namespace batchpeak::model {

/// Names of the sizes and kinds of every network in files: in the trial protocol and in Batchpeak's own
/// configs alike. Each function passes every member with its name to a visitor, which reads or writes it:
///
///     visitor.value("hidden_size", member)            std::int64_t, double, bool, std::string
///     visitor.word("normalization", member)           an enumeration that has words
///     visitor.sizes("shape", member)                  std::vector<std::int64_t>
///     visitor.texts("trained_parts", member)          std::vector<std::string>
///     visitor.list("inputs", member)                  a vector of values that visitFields takes
template<typename Visitor>
void visitFields(DecoderSpec& spec, Visitor&& visitor)
{
    visitor.value("vocabulary_size", spec.vocabularySize);
    visitor.value("hidden_size", spec.hiddenSize);
    visitor.value("layers", spec.layers);
    visitor.value("heads", spec.heads);
    visitor.value("key_value_heads", spec.keyValueHeads);
    visitor.value("head_size", spec.headSize);
    visitor.value("feed_forward_size", spec.feedForwardSize);
    visitor.value("max_positions", spec.maxPositions);
    visitor.word("position_embedding", spec.positionEmbedding);
    visitor.word("normalization", spec.normalization);
    visitor.word("activation", spec.activation);
    visitor.value("tied_embeddings", spec.tiedEmbeddings);
    visitor.value("attention_bias", spec.attentionBias);
    visitor.value("attention_output_bias", spec.attentionOutputBias);
    visitor.value("feed_forward_bias", spec.feedForwardBias);
    visitor.value("output_bias", spec.outputBias);
    visitor.value("query_key_normalization", spec.queryKeyNormalization);
    visitor.value("embedding_normalization", spec.embeddingNormalization);
    visitor.value("normalization_bias", spec.normalizationBias);
    visitor.value("branch_output_normalization", spec.branchOutputNormalization);
    visitor.word("branches", spec.branches);
    visitor.value("normalization_epsilon", spec.normalizationEpsilon);
    visitor.value("rope_theta", spec.ropeTheta);
    visitor.value("rotary_dimensions", spec.rotaryDimensions);
    visitor.sizes("unrotated_layers", spec.unrotatedLayers);
    visitor.value("position_offset", spec.positionOffset);
    visitor.value("attention_window", spec.attentionWindow);
    visitor.sizes("windowed_layers", spec.windowedLayers);
    visitor.value("attention_soft_cap", spec.attentionSoftCap);
    visitor.value("logit_soft_cap", spec.logitSoftCap);
    visitor.value("experts", spec.experts);
    visitor.value("experts_per_token", spec.expertsPerToken);
    visitor.value("shared_expert_size", spec.sharedExpertSize);
    visitor.value("shared_expert_gate", spec.sharedExpertGate);
    visitor.value("dense_layers", spec.denseLayers);
    visitor.value("dense_feed_forward_size", spec.denseFeedForwardSize);
    visitor.value("dropout", spec.dropout);
    visitor.value("attention_dropout", spec.attentionDropout);
}

template<typename Visitor>
void visitFields(EncoderSpec& spec, Visitor&& visitor)
{
    visitor.value("vocabulary_size", spec.vocabularySize);
    visitor.value("hidden_size", spec.hiddenSize);
    visitor.value("layers", spec.layers);
    visitor.value("heads", spec.heads);
    visitor.value("feed_forward_size", spec.feedForwardSize);
    visitor.value("max_positions", spec.maxPositions);
    visitor.value("token_types", spec.tokenTypes);
    visitor.word("position_embedding", spec.positionEmbedding);
    visitor.word("activation", spec.activation);
    visitor.value("normalizes_first", spec.normalizesFirst);
    visitor.value("embedding_normalization", spec.embeddingNormalization);
    visitor.value("final_normalization", spec.finalNormalization);
    visitor.value("pooler", spec.pooler);
    visitor.value("masked_language_head", spec.maskedLanguageHead);
    visitor.value("next_sentence_head", spec.nextSentenceHead);
    visitor.value("sentence_classes", spec.sentenceClasses);
    visitor.value("tied_embeddings", spec.tiedEmbeddings);
    visitor.value("predicted_tokens", spec.predictedTokens);
    visitor.value("token_dropout", spec.tokenDropout);
    visitor.value("mask_token", spec.maskToken);
    visitor.value("normalization_epsilon", spec.normalizationEpsilon);
    visitor.value("rope_theta", spec.ropeTheta);
    visitor.value("rotary_dimensions", spec.rotaryDimensions);
    visitor.value("dropout", spec.dropout);
    visitor.value("attention_dropout", spec.attentionDropout);
}

template<typename Visitor>
void visitFields(EncoderDecoderSpec& spec, Visitor&& visitor)
{
    visitor.value("vocabulary_size", spec.vocabularySize);
    visitor.value("hidden_size", spec.hiddenSize);
    visitor.value("encoder_layers", spec.encoderLayers);
    visitor.value("decoder_layers", spec.decoderLayers);
    visitor.value("heads", spec.heads);
    visitor.value("head_size", spec.headSize);
    visitor.value("feed_forward_size", spec.feedForwardSize);
    visitor.value("relative_buckets", spec.relativeBuckets);
    visitor.value("max_relative_distance", spec.maxRelativeDistance);
    visitor.word("normalization", spec.normalization);
    visitor.word("activation", spec.activation);
    visitor.value("tied_embeddings", spec.tiedEmbeddings);
    visitor.value("normalization_epsilon", spec.normalizationEpsilon);
    visitor.value("dropout", spec.dropout);
}

template<typename Visitor>
void visitFields(VisionTransformerSpec& spec, Visitor&& visitor)
{
    visitor.value("image_size", spec.imageSize);
    visitor.value("channels", spec.channels);
    visitor.value("patch_size", spec.patchSize);
    visitor.value("hidden_size", spec.hiddenSize);
    visitor.value("layers", spec.layers);
    visitor.value("heads", spec.heads);
    visitor.value("feed_forward_size", spec.feedForwardSize);
    visitor.value("classes", spec.classes);
    visitor.word("activation", spec.activation);
    visitor.value("attention_bias", spec.attentionBias);
    visitor.value("normalization_epsilon", spec.normalizationEpsilon);
    visitor.value("dropout", spec.dropout);
    visitor.value("attention_dropout", spec.attentionDropout);
}

template<typename Visitor>
void visitFields(ResNetSpec& spec, Visitor&& visitor)
{
    visitor.value("depth", spec.depth);
    visitor.value("classes", spec.classes);
    visitor.value("channels", spec.channels);
    visitor.value("image_size", spec.imageSize);
    visitor.value("width", spec.width);
}

template<typename Visitor>
void visitFields(ScriptInput& input, Visitor&& visitor)
{
    visitor.sizes("shape", input.shape);
    visitor.word("type", input.type);
    visitor.value("upper_bound", input.upperBound);
}

template<typename Visitor>
void visitFields(ScriptSpec& spec, Visitor&& visitor)
{
    visitor.value("file", spec.file);
    visitor.list("inputs", spec.inputs);
    visitor.word("output", spec.output);
    visitor.value("classes", spec.classes);
    visitor.value("targets_per_sample", spec.targetsPerSample);
}

template<typename Visitor>
void visitFields(TransformersSpec& spec, Visitor&& visitor)
{
    visitor.value("type", spec.type);
    visitor.value("config", spec.config);
    visitor.value("takes_texts", spec.takesTexts);
    visitor.value("positions", spec.positions);
}

} // namespace batchpeak::model
