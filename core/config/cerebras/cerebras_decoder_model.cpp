// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_decoder_model.h"

#include "cerebras_keys.h"
#include "cerebras_network.h"
#include "networks/section_sizes.h"

#include <string>
#include <utility>

namespace batchpeak::config {

using model::DecoderSpec;
using model::Normalization;
using model::PositionEmbedding;

namespace {

PositionEmbedding positionEmbeddingOf(const std::string& word)
{
    if (word == "alibi")
        return PositionEmbedding::Alibi;
    return word == "rotary" ? PositionEmbedding::Rotary : PositionEmbedding::Learned;
}

Normalization normalizationOf(const std::string& word)
{
    return word == "rmsnorm" ? Normalization::RmsNorm : Normalization::LayerNorm;
}

} // namespace

CerebrasDecoderModel::CerebrasDecoderModel(ConfigSection section) : m_section(std::move(section)) {}

std::variant<DecoderSpec, UnsupportedModel> CerebrasDecoderModel::read(std::vector<Warning>& warnings) const
{
    if (const auto unsupported = unsupportedFeature(m_section))
        return *unsupported;
    return readSpec(warnings);
}

// The five sizes must be there: every release up to 2.1.1 demands them, and a network made of the
// defaults of later ones is hardly what somebody meant who left one out. All other absent keys take the
// defaults of GPT2LMHeadModelConfig in ModelZoo 2.10.0, models/nlp/gpt2/gpt2_model.py.
DecoderSpec CerebrasDecoderModel::readSpec(std::vector<Warning>& warnings) const
{
    DecoderSpec spec{.vocabularySize = requiredSize(m_section, "vocab_size"),
                     .hiddenSize = requiredSize(m_section, "hidden_size"),
                     .layers = requiredSize(m_section, "num_hidden_layers"),
                     .heads = requiredSize(m_section, "num_heads"),
                     .feedForwardSize = requiredSize(m_section, "filter_size"),
                     .maxPositions = sizeOr(m_section, "max_position_embeddings", 1024)};
    spec.positionEmbedding =
        positionEmbeddingOf(m_section.text("position_embedding_type").value_or("learned"));
    spec.normalization = normalizationOf(m_section.text("norm_type").value_or("layernorm"));
    // Known, or unsupportedFeature had named it.
    spec.activation = *activationOf(m_section.text("nonlinearity").value_or("gelu"));
    spec.tiedEmbeddings = m_section.boolean("share_embedding_weights").value_or(true);
    spec.feedForwardBias = m_section.boolean("use_ffn_bias").value_or(true);
    spec.outputBias = m_section.boolean("use_bias_in_output").value_or(false);
    spec.normalizationEpsilon = positiveNumberOr(m_section, "layer_norm_epsilon", 1e-5);
    // False where nothing is said: GPT2LMHeadModelConfig.
    spec.embeddingNormalization = m_section.boolean("embedding_layer_norm").value_or(false);
    readExperts(spec);
    readAttention(spec);
    readDropout(spec, warnings);
    checkSoundness(spec);
    return spec;
}

void CerebrasDecoderModel::readExperts(DecoderSpec& spec) const
{
    const auto experts = m_section.section("moe");
    const std::int64_t count = experts ? experts->integer("num_experts").value_or(0) : 0;
    // One expert is a feed-forward layer like any other.
    if (count == 0 || count == 1)
        return;
    spec.experts = count;
    // 1 where nothing is said: MoEConfig in ModelZoo 2.10.0, layers/FeedForwardNetwork.py.
    spec.expertsPerToken = experts->integer("top_k").value_or(1);
}

void CerebrasDecoderModel::readAttention(DecoderSpec& spec) const
{
    spec.keyValueHeads = spec.heads;
    if (m_section.text("attention_module").value_or("") == "multiquery_attention") {
        const auto extra = m_section.section("extra_attention_params");
        // 1 where nothing is said: MultiQueryAttention in ModelZoo 2.10.0,
        // layers/MultiQueryAttentionLayer.py.
        spec.keyValueHeads = extra ? extra->integer("num_kv_groups").value_or(1) : 1;
    }
    spec.attentionBias = m_section.boolean("use_projection_bias_in_attention").value_or(true);
    spec.attentionOutputBias = m_section.boolean("use_ffn_bias_in_attention").value_or(true);
    if (spec.positionEmbedding != PositionEmbedding::Rotary)
        return;
    spec.ropeTheta = positiveNumberOr(m_section, "rope_theta", 10000.0);
    // A quarter of the head where nothing is said: post_init of GPT2LMHeadModelConfig.
    spec.rotaryDimensions = m_section.integer("rotary_dim").value_or(headSizeOf(spec) / 4);
    if (spec.rotaryDimensions < 1)
        m_section.fail("rotary_dim",
                       "is " + std::to_string(spec.rotaryDimensions) + ", but must be at least 2");
}

void CerebrasDecoderModel::readDropout(DecoderSpec& spec, std::vector<Warning>& warnings) const
{
    spec.dropout = m_section.number("dropout_rate").value_or(0.1);
    // "dropout_rate" where it is null, 0.1 where it is absent: GPT2LMHeadModelConfig and its post_init.
    const bool isNullAttention =
        m_section.find("attention_dropout_rate") && !m_section.has("attention_dropout_rate");
    spec.attentionDropout =
        m_section.number("attention_dropout_rate").value_or(isNullAttention ? spec.dropout : 0.1);
    const auto embeddingDropout = m_section.number("embedding_dropout_rate");
    if (embeddingDropout && *embeddingDropout != spec.dropout) {
        warnings.push_back({"Trials drop embeddings at the rate of " + m_section.pathOf("dropout_rate") +
                                ", not at this one; the difference in speed is small.",
                            m_section.positionOf("embedding_dropout_rate")});
    }
}

void CerebrasDecoderModel::checkSoundness(const DecoderSpec& spec) const
{
    const auto problem = model::problemWith(spec);
    if (!problem)
        return;
    // The keys behind the conditions of problemWith, in its order: the first that fails is the one.
    const auto extra = m_section.section("extra_attention_params");
    const bool hasGroupProblem = spec.keyValueHeads < 1 || spec.heads % spec.keyValueHeads != 0;
    if (spec.hiddenSize % spec.heads != 0)
        throw ConfigError(*problem, m_section.positionOf("num_heads"));
    if (hasGroupProblem && extra)
        throw ConfigError(*problem, extra->positionOf("num_kv_groups"));
    if (spec.rotaryDimensions > headSizeOf(spec) || spec.rotaryDimensions % 2 != 0)
        throw ConfigError(*problem, m_section.positionOf("rotary_dim"));
    if (!model::chooseableExperts(spec))
        throw ConfigError(*problem, m_section.positionOf("moe"));
    const bool isResidual = !(spec.dropout >= 0 && spec.dropout < 1);
    throw ConfigError(*problem, m_section.positionOf(isResidual ? "dropout_rate" : "attention_dropout_rate"));
}

} // namespace batchpeak::config
