// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_encoder_decoder.h"

#include "section_sizes.h"

#include <string>

namespace batchpeak::config {

using model::Activation;
using model::EncoderDecoderSpec;

namespace {

/// "gated-gelu" is gated by the tanh approximation; the other words are those of activations, gated or not
/// (T5Config.__post_init__ in transformers 5.23.0, models/t5/configuration_t5.py).
std::optional<Activation> activationOfProjection(std::string_view word)
{
    constexpr std::string_view gated = "gated-";
    if (word == "gated-gelu")
        return Activation::GeGlu;
    if (word.starts_with(gated))
        return gatedActivationOf(word.substr(gated.size()));
    return plainActivationOf(word);
}

} // namespace

// Defaults of T5Config in transformers 5.23.0, models/t5/configuration_t5.py.
HuggingFaceNetwork readHuggingFaceEncoderDecoder(const ConfigSection& config, std::vector<Warning>& warnings)
{
    // T5WithLMHeadModel is the name that transformers had for it before 3.0.
    if (const auto unsupported = otherHead(config,
                                           {.suffixes = {"ForConditionalGeneration", "WithLMHeadModel"},
                                            .alone = "T5Model",
                                            .head = "its projection onto the vocabulary"},
                                           warnings))
        return *unsupported;
    const std::string projection = config.text("feed_forward_proj").value_or("relu");
    const auto activation = activationOfProjection(projection);
    if (!activation)
        return networkWith(config, "feed_forward_proj", "the feed-forward layers \"" + projection + "\"");

    EncoderDecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 32128),
                            .hiddenSize = sizeOr(config, keyThere(config, "d_model", "hidden_size"), 512),
                            .encoderLayers =
                                sizeOr(config, keyThere(config, "num_layers", "num_hidden_layers"), 6),
                            .heads = sizeOr(config, keyThere(config, "num_heads", "num_attention_heads"), 8),
                            .headSize = sizeOr(config, keyThere(config, "d_kv", "head_dim"), 64),
                            .feedForwardSize = sizeOr(config, "d_ff", 2048),
                            .relativeBuckets = sizeOr(config, "relative_attention_num_buckets", 32),
                            .maxRelativeDistance = sizeOr(config, "relative_attention_max_distance", 128),
                            .activation = *activation,
                            .tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true),
                            .normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-6),
                            .dropout = dropoutRateOr(config, "dropout_rate", 0.1)};
    // As many as num_layers says, whatever its other name does: T5Config.__post_init__.
    spec.decoderLayers = sizeOr(config, "num_decoder_layers", sizeOr(config, "num_layers", 6));
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, config.positionOf("relative_attention_num_buckets"));
    return spec;
}

} // namespace batchpeak::config
