// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_encoder_decoder_model.h"

#include "cerebras_keys.h"
#include "networks/section_sizes.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace batchpeak::config {

using model::Activation;
using model::EncoderDecoderSpec;
using model::Normalization;

namespace {

// Of the words of T5's nonlinearities in ModelZoo 2.10.0, layers/activations.py. Its geglu is none of them:
// it is gated by the error function, where T5 1.1 and trials have the approximation by tanh.
std::optional<Activation> activationFrom(std::string_view word)
{
    return word == "relu" ? Activation::Relu : activationOf(word);
}

} // namespace

CerebrasEncoderDecoderModel::CerebrasEncoderDecoderModel(ConfigSection section)
    : m_section(std::move(section))
{}

std::variant<EncoderDecoderSpec, UnsupportedModel> CerebrasEncoderDecoderModel::read() const
{
    if (const auto unsupported = unsupportedFeature())
        return *unsupported;
    return readSpec();
}

// Fields of T5ForConditionalGenerationModelConfig in ModelZoo 2.10.0, models/nlp/t5/t5_model.py, with
// their defaults.
std::optional<UnsupportedModel> CerebrasEncoderDecoderModel::unsupportedFeature() const
{
    struct Switch
    {
        std::string_view key;
        bool runs;
        const char* feature;
    };
    constexpr std::array<Switch, 4> switches{
        {{"use_projection_bias_in_attention", false, "biases of queries, keys and values"},
         {"use_ffn_bias", false, "biases of feed-forward layers"},
         {"use_pre_encoder_decoder_layer_norm", true, "normalisation after the branches"},
         {"share_encoder_decoder_embedding", true, "embeddings of its own in the decoder"}}};
    for (const auto& [key, runs, feature] : switches) {
        if (m_section.boolean(key).value_or(runs) != runs)
            return unsupportedBecause(m_section, key, feature);
    }
    const auto targets = m_section.integer("tgt_vocab_size");
    if (targets && targets != m_section.integer("src_vocab_size"))
        return unsupportedBecause(m_section, "tgt_vocab_size", "another vocabulary in the decoder");
    const std::string attention = m_section.text("attention_module").value_or("aiayn_attention");
    if (attention != "aiayn_attention")
        return unsupportedBecause(m_section, "attention_module", "the attention \"" + attention + "\"");
    const std::string norm = m_section.text("norm_type").value_or("rmsnorm");
    if (norm != "rmsnorm" && norm != "layernorm")
        return unsupportedBecause(m_section, "norm_type", "the normalisation \"" + norm + "\"");
    const auto entry = m_section.find("position_embedding_type");
    const std::string position = m_section.text("position_embedding_type").value_or("relative");
    if ((entry && !m_section.has("position_embedding_type")) || position != "relative") {
        return unsupportedBecause(m_section, "position_embedding_type", "positions that are not relative");
    }
    // The decoder's word is read and not used: T5ForConditionalGeneration makes its layers with the
    // encoder's.
    const std::string activation = m_section.text("encoder_nonlinearity").value_or("relu");
    if (!activationFrom(activation)) {
        return unsupportedBecause(m_section, "encoder_nonlinearity", "the activation \"" + activation + "\"");
    }
    return std::nullopt;
}

// The sizes must be there, as in a decoder. All other absent keys take the defaults of ModelZoo 2.10.0.
EncoderDecoderSpec CerebrasEncoderDecoderModel::readSpec() const
{
    const std::int64_t extraTokens = m_section.integer("extra_ids").value_or(0);
    if (extraTokens < 0)
        m_section.fail("extra_ids", "is " + std::to_string(extraTokens) + ", but must be at least 0");
    EncoderDecoderSpec spec{.vocabularySize = requiredSize(m_section, "src_vocab_size") + extraTokens,
                            .hiddenSize = requiredSize(m_section, "d_model"),
                            .encoderLayers = requiredSize(m_section, "encoder_num_hidden_layers"),
                            .heads = requiredSize(m_section, "num_heads"),
                            .headSize = requiredSize(m_section, "d_kv"),
                            .feedForwardSize = requiredSize(m_section, "d_ff")};
    spec.decoderLayers = sizeOr(m_section, "decoder_num_hidden_layers", spec.encoderLayers);
    spec.relativeBuckets = sizeOr(m_section, "relative_attention_num_buckets", spec.relativeBuckets);
    spec.normalization = m_section.text("norm_type").value_or("rmsnorm") == "rmsnorm"
                             ? Normalization::RmsNorm
                             : Normalization::LayerNorm;
    spec.activation = *activationFrom(m_section.text("encoder_nonlinearity").value_or("relu"));
    spec.tiedEmbeddings = m_section.boolean("share_embedding_weights").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(m_section, "layer_norm_epsilon", 1e-5);
    spec.dropout = dropoutRateOr(m_section, "dropout_rate", 0.1);
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, m_section.positionOf("relative_attention_num_buckets"));
    return spec;
}

} // namespace batchpeak::config
