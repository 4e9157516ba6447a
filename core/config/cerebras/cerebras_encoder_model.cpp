// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_encoder_model.h"

#include "cerebras_keys.h"
#include "networks/section_sizes.h"

#include <array>
#include <string_view>
#include <utility>

namespace batchpeak::config {

using model::Activation;
using model::EncoderSpec;
using model::PositionEmbedding;

namespace {

std::optional<Activation> activationFrom(std::string_view word)
{
    return word == "relu" ? Activation::Relu : activationOf(word);
}

} // namespace

CerebrasEncoderModel::CerebrasEncoderModel(ConfigSection section, std::string family)
    : m_section(std::move(section)), m_family(std::move(family))
{}

std::variant<EncoderSpec, UnsupportedModel> CerebrasEncoderModel::read() const
{
    if (const auto unsupported = unsupportedFeature())
        return *unsupported;
    return readSpec();
}

// Fields of BertModelConfig, BertForPreTrainingModelConfig and Esm2ModelConfig in ModelZoo 2.10.0,
// models/nlp/bert/{bert_model,bert_pretrain_models}.py and models/nlp/esm2/esm2_model.py.
std::optional<UnsupportedModel> CerebrasEncoderModel::unsupportedFeature() const
{
    constexpr std::array<std::pair<std::string_view, const char*>, 5> biases{
        {{"use_projection_bias_in_attention", "queries, keys and values without biases"},
         {"use_ffn_bias_in_attention", "attention outputs without biases"},
         {"use_ffn_bias", "feed-forward layers without biases"},
         {"use_ffn_bias_in_mlm", "a masked-language head without biases"},
         {"use_output_bias_in_mlm", "a masked-language head without biases"}}};
    for (const auto& [key, feature] : biases) {
        if (!m_section.boolean(key).value_or(true))
            return unsupportedBecause(m_section, key, feature);
    }
    const std::string attention = m_section.text("attention_module").value_or("aiayn_attention");
    if (attention != "aiayn_attention")
        return unsupportedBecause(m_section, "attention_module", "the attention \"" + attention + "\"");
    const auto classes = m_section.integer("num_classes").value_or(2);
    if (classes != 2) {
        return unsupportedBecause(m_section, "num_classes",
                                  "a classifier of " + std::to_string(classes) + " classes");
    }
    const auto entry = m_section.find("position_embedding_type");
    if (entry && !m_section.has("position_embedding_type"))
        return unsupportedBecause(m_section, "position_embedding_type", "no position embedding");
    const std::string position = m_section.text("position_embedding_type").value_or("learned");
    if (position != "learned" && position != "rotary") {
        return unsupportedBecause(m_section, "position_embedding_type",
                                  "the position embedding \"" + position + "\"");
    }
    const std::string activation = m_section.text("encoder_nonlinearity").value_or("gelu");
    if (const auto known = activationFrom(activation); !known || isGated(*known)) {
        return unsupportedBecause(m_section, "encoder_nonlinearity", "the activation \"" + activation + "\"");
    }
    return std::nullopt;
}

// The sizes must be there, as in a decoder. All other absent keys take the defaults of ModelZoo 2.10.0.
EncoderSpec CerebrasEncoderModel::readSpec() const
{
    const bool predictsNextSentence = !m_section.boolean("disable_nsp").value_or(false);
    const bool isEsm = m_family == "esm2";
    EncoderSpec spec{.vocabularySize = requiredSize(m_section, "vocab_size"),
                     .hiddenSize = requiredSize(m_section, "hidden_size"),
                     .layers = requiredSize(m_section, "num_hidden_layers"),
                     .heads = requiredSize(m_section, "num_heads"),
                     .feedForwardSize = requiredSize(m_section, "filter_size"),
                     .maxPositions = requiredSize(m_section, "max_position_embeddings")};
    spec.tokenTypes = m_section.integer("num_segments").value_or(predictsNextSentence ? 2 : 0);
    spec.activation = *activationFrom(m_section.text("encoder_nonlinearity").value_or("gelu"));
    spec.normalizesFirst = m_section.boolean("norm_first").value_or(isEsm);
    spec.embeddingNormalization = m_section.boolean("embedding_layer_norm").value_or(true);
    spec.finalNormalization = m_section.boolean("use_final_layer_norm").value_or(false);
    spec.pooler = spec.nextSentenceHead = predictsNextSentence;
    spec.tiedEmbeddings = m_section.boolean("share_embedding_weights").value_or(true);
    spec.tokenDropout = isEsm && m_section.boolean("token_dropout").value_or(false);
    spec.maskToken = m_section.integer("mask_token_id").value_or(0);
    spec.normalizationEpsilon = positiveNumberOr(m_section, "layer_norm_epsilon", 1e-5);
    spec.dropout = dropoutRateOr(m_section, "dropout_rate", 0.1);
    spec.attentionDropout = dropoutRateOr(m_section, "attention_dropout_rate", spec.dropout);
    readPositions(spec);
    checkSoundness(spec);
    return spec;
}

void CerebrasEncoderModel::readPositions(EncoderSpec& spec) const
{
    if (m_section.text("position_embedding_type").value_or("learned") != "rotary")
        return;
    spec.positionEmbedding = PositionEmbedding::Rotary;
    spec.ropeTheta = positiveNumberOr(m_section, "rope_theta", 10000.0);
    // A quarter of the head where nothing is said: post_init of BertModelConfig.
    spec.rotaryDimensions = m_section.integer("rotary_dim").value_or(spec.hiddenSize / spec.heads / 4);
    if (spec.rotaryDimensions < 1)
        m_section.fail("rotary_dim",
                       "is " + std::to_string(spec.rotaryDimensions) + ", but must be at least 2");
}

void CerebrasEncoderModel::checkSoundness(const EncoderSpec& spec) const
{
    const auto problem = model::problemWith(spec);
    if (!problem)
        return;
    // The keys behind the conditions of problemWith, in its order: the first that fails is the one.
    std::string_view key = "mask_token_id";
    if (spec.hiddenSize % spec.heads != 0)
        key = "num_heads";
    else if (spec.rotaryDimensions > spec.hiddenSize / spec.heads || spec.rotaryDimensions % 2 != 0)
        key = "rotary_dim";
    else if (spec.tokenTypes < 0)
        key = "num_segments";
    throw ConfigError(*problem, m_section.positionOf(key));
}

} // namespace batchpeak::config
