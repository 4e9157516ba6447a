// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "megatron_model.h"

#include "megatron_sizes.h"
#include "megatron_vocabulary.h"
#include "syntax/lower_case.h"

#include <algorithm>
#include <array>
#include <utility>

namespace batchpeak::config {

using model::Activation;
using model::DecoderSpec;
using model::EncoderSpec;
using model::ModelSpec;
using model::Normalization;
using model::PositionEmbedding;

namespace {

UnsupportedModel unsupported(const MegatronSettings& settings, std::string_view name,
                             const std::string& feature)
{
    return {"The network uses " + feature + " (" + settings.nameOf(name) +
                "), which trials here do not have, so that they would measure another network. Its batch "
                "sizes can "
                "be read and written all the same.",
            settings.positionOf(name)};
}

/// \param tanh  "gelu" is computed by its tanh approximation
std::optional<Activation> activationOf(const std::string& word, bool tanh)
{
    // Words of build_transformer_config, of which those with "fast" are the same in fused kernels.
    if (word == "gelu")
        return tanh ? Activation::GeluTanh : Activation::Gelu;
    if (word == "relu")
        return Activation::Relu;
    if (word == "swiglu" || word == "fast-swiglu")
        return Activation::SwiGlu;
    if (word == "geglu" || word == "fast-geglu")
        return Activation::GeGlu;
    return std::nullopt;
}

std::optional<Activation> readActivation(const MegatronSettings& settings)
{
    // The fused kernel computes the approximation: megatron/core/fusions/fused_bias_gelu.py of 0.20.
    const bool isFused =
        settings.boolean("bias_activation_fusion").value_or(true) && settings.boolean("bias").value_or(true);
    return activationOf(settings.text("activation").value_or("gelu"),
                        isFused || settings.boolean("openai_gelu").value_or(false));
}

std::optional<Normalization> readNormalization(const MegatronSettings& settings)
{
    const std::string word = lowerCase(settings.text("normalization").value_or("LayerNorm"));
    if (word == "rmsnorm")
        return Normalization::RmsNorm;
    // The second has its weights around 0, and costs the same.
    const bool isLayerNorm =
        word == "layernorm" || word == "layernorm1p" || word == "low_precision_layernorm";
    return isLayerNorm ? std::optional(Normalization::LayerNorm) : std::nullopt;
}

std::optional<PositionEmbedding> readPositions(const MegatronSettings& settings)
{
    const std::string word = settings.text("position_embedding_type").value_or("learned_absolute");
    if (word == "learned_absolute")
        return PositionEmbedding::Learned;
    if (word == "rope")
        return PositionEmbedding::Rotary;
    return word == "alibi" ? std::optional(PositionEmbedding::Alibi) : std::nullopt;
}

std::optional<UnsupportedModel> switchedFeature(const MegatronSettings& settings)
{
    constexpr std::array<std::pair<std::string_view, const char*>, 17> switches{
        {{"multi_latent_attention", "multi-latent attention"},
         {"experimental_attention_variant", "a variant of attention"},
         {"qk_l2_norm", "normalised queries and keys"},
         {"attention_output_gate", "gated attention"},
         {"window_size", "attention in a sliding window"},
         {"mtp_num_layers", "layers that predict further tokens"},
         {"moe_shared_expert_intermediate_size", "experts that every token takes"},
         {"moe_latent_size", "experts of another width than the network's"},
         {"hybrid_layer_pattern", "layers of several kinds"},
         {"hybrid_override_pattern", "layers of several kinds"},
         {"is_hybrid_model", "layers of several kinds"},
         {"heterogeneous_layers_config_path", "layers of several sizes"},
         {"enable_mhc_connections", "several residual streams"},
         {"spec", "layers of its own"},
         {"headscale", "scaled attention heads"},
         {"hyena", "Hyena operators"},
         {"apply_residual_connection_post_layernorm", "residual branches behind the normalisation"}}};
    for (const auto& [name, feature] : switches) {
        if (settings.isOn(name))
            return unsupported(settings, name, feature);
    }
    return std::nullopt;
}

std::optional<UnsupportedModel> unsupportedWord(const MegatronSettings& settings)
{
    const auto word = [&](std::string_view name) { return "\"" + settings.text(name).value_or("") + "\""; };
    if (!readActivation(settings))
        return unsupported(settings, "activation", "the activation " + word("activation"));
    if (!readNormalization(settings))
        return unsupported(settings, "normalization", "the normalisation " + word("normalization"));
    if (!readPositions(settings)) {
        return unsupported(settings, "position_embedding_type",
                           "the position embedding " + word("position_embedding_type"));
    }
    if (settings.text("transformer_block_type").value_or("pre_ln") != "pre_ln") {
        return unsupported(settings, "transformer_block_type",
                           "the layers " + word("transformer_block_type"));
    }
    if (settings.text("softmax_type").value_or("vanilla") != "vanilla")
        return unsupported(settings, "softmax_type", "the softmax " + word("softmax_type"));
    if (settings.text("moe_layer_freq").value_or("1") != "1")
        return unsupported(settings, "moe_layer_freq", "layers with experts and layers without");
    return std::nullopt;
}

std::optional<UnsupportedModel> unsupportedFeature(const MegatronSettings& settings)
{
    if (!settings.integer("num_layers") && !settings.integer("hidden_size")) {
        return UnsupportedModel{.sentence = "The config describes no network (" +
                                            settings.nameOf("num_layers") + ", " +
                                            settings.nameOf("hidden_size") +
                                            "), so one has to come from elsewhere (--model FILE).",
                                .position = settings.positionOf("num_layers"),
                                .isElsewhere = true};
    }
    if (const auto feature = switchedFeature(settings))
        return feature;
    if (const auto feature = unsupportedWord(settings))
        return feature;
    return std::nullopt;
}

/// Of one head; 0 where the heads share the hidden size.
std::int64_t readHeadSize(const MegatronSettings& settings, std::int64_t hidden, std::int64_t heads)
{
    const auto channels = settings.integer("kv_channels");
    const std::int64_t size = channels ? checkedMegatronSize(settings, "kv_channels", *channels) : 0;
    return size * heads == hidden ? 0 : size;
}

/// 4 times the hidden size, or of a gated activation two thirds of that in multiples of 64: validate_args.
std::int64_t feedForwardSize(const MegatronSettings& settings, std::int64_t hidden, Activation activation)
{
    const std::int64_t usual = activation == Activation::SwiGlu ? 8 * hidden / 3 / 64 * 64 : 4 * hidden;
    const std::int64_t dense = megatronSizeOr(settings, "ffn_hidden_size", std::max<std::int64_t>(usual, 1));
    return settings.isOn("num_moe_experts") ? megatronSizeOr(settings, "moe_ffn_hidden_size", dense) : dense;
}

/// As far as the longest sequence: NeMo's networks have so many where nothing else is said.
std::int64_t readPositionCount(const MegatronSettings& settings)
{
    if (settings.integer("max_position_embeddings"))
        return requiredMegatronSize(settings, "max_position_embeddings");
    return settings.integer("encoder_seq_length") ? requiredMegatronSize(settings, "encoder_seq_length")
                                                  : requiredMegatronSize(settings, "max_position_embeddings");
}

void checkSoundness(const MegatronSettings& settings, const std::optional<std::string>& problem)
{
    if (problem)
        throw ConfigError(*problem, settings.positionOf("hidden_size"));
}

void readAttention(const MegatronSettings& settings, DecoderSpec& spec)
{
    spec.keyValueHeads = megatronSizeOr(settings, "num_query_groups", spec.heads);
    const bool hasBias = settings.boolean("bias").value_or(true);
    spec.attentionBias = hasBias || settings.boolean("qkv_bias").value_or(false);
    spec.attentionOutputBias = spec.feedForwardBias = hasBias;
    spec.ropeTheta = positiveMegatronNumberOr(settings, "rotary_base", 10000.0);
    spec.headSize = readHeadSize(settings, spec.hiddenSize, spec.heads);
    spec.queryKeyNormalization = settings.isOn("qk_layernorm");
    const double part = positiveMegatronNumberOr(settings, "rotary_percentage", 1.0);
    if (spec.positionEmbedding == PositionEmbedding::Rotary && part < 1.0)
        spec.rotaryDimensions =
            static_cast<std::int64_t>(part * static_cast<double>(model::headSizeOf(spec)));
}

ModelSpec readDecoder(const MegatronSettings& settings, std::vector<Warning>& warnings)
{
    DecoderSpec spec{.vocabularySize = megatronVocabulary(settings, "GPT2BPETokenizer", warnings),
                     .hiddenSize = requiredMegatronSize(settings, "hidden_size"),
                     .layers = requiredMegatronSize(settings, "num_layers"),
                     .heads = requiredMegatronSize(settings, "num_attention_heads"),
                     .maxPositions = readPositionCount(settings)};
    spec.activation = *readActivation(settings);
    spec.normalization = *readNormalization(settings);
    spec.positionEmbedding = *readPositions(settings);
    spec.feedForwardSize = feedForwardSize(settings, spec.hiddenSize, spec.activation);
    spec.tiedEmbeddings = settings.boolean("share_embeddings_and_output_weights").value_or(true);
    spec.normalizationEpsilon = positiveMegatronNumberOr(settings, "layernorm_epsilon", 1e-5);
    spec.dropout = settings.number("hidden_dropout").value_or(0.1);
    spec.attentionDropout = settings.number("attention_dropout").value_or(0.1);
    readAttention(settings, spec);
    if (settings.isOn("num_moe_experts")) {
        spec.experts = megatronSizeOr(settings, "num_moe_experts", 1);
        spec.expertsPerToken = megatronSizeOr(settings, "moe_router_topk", 2);
    }
    checkSoundness(settings, model::problemWith(spec));
    const bool isLlama = spec.normalization == Normalization::RmsNorm &&
                         spec.activation == Activation::SwiGlu &&
                         spec.positionEmbedding == PositionEmbedding::Rotary;
    const std::string family = model::hasExperts(spec) ? "mixtral" : (isLlama ? "llama" : "gpt3");
    return {.family = family, .architecture = spec};
}

// BertModel in megatron/core/models/bert/bert_model.py, with the layers of bert_layer_specs.py and the
// choices of model_provider in pretrain_bert.py of Megatron Core 0.15, the last with that program.
ModelSpec readEncoder(const MegatronSettings& settings, std::vector<Warning>& warnings)
{
    EncoderSpec spec{.vocabularySize = megatronVocabulary(settings, "BertWordPieceLowerCase", warnings),
                     .hiddenSize = requiredMegatronSize(settings, "hidden_size"),
                     .layers = requiredMegatronSize(settings, "num_layers"),
                     .heads = requiredMegatronSize(settings, "num_attention_heads"),
                     .maxPositions = readPositionCount(settings)};
    spec.activation = *readActivation(settings);
    spec.feedForwardSize = feedForwardSize(settings, spec.hiddenSize, spec.activation);
    const bool comparesSentences = settings.boolean("bert_binary_head").value_or(true);
    spec.tokenTypes = comparesSentences ? 2 : 0;
    spec.pooler = spec.nextSentenceHead = comparesSentences;
    spec.normalizesFirst = spec.finalNormalization = true;
    spec.embeddingNormalization = false;
    spec.tiedEmbeddings = settings.boolean("share_embeddings_and_output_weights").value_or(true);
    spec.normalizationEpsilon = positiveMegatronNumberOr(settings, "layernorm_epsilon", 1e-5);
    spec.dropout = settings.number("hidden_dropout").value_or(0.1);
    spec.attentionDropout = settings.number("attention_dropout").value_or(0.1);
    checkSoundness(settings, model::problemWith(spec));
    return {.family = "bert", .architecture = spec};
}

/// Queries and keys are normalised as the layers are, for which decoders here have RMSNorm.
std::optional<UnsupportedModel> unsupportedInDecoder(const MegatronSettings& settings)
{
    if (settings.isOn("qk_layernorm") && *readNormalization(settings) != Normalization::RmsNorm)
        return unsupported(settings, "qk_layernorm", "queries and keys normalised by LayerNorm");
    return std::nullopt;
}

/// Encoders here have biases, LayerNorm, an activation without a gate, and heads that share the hidden size.
std::optional<UnsupportedModel> unsupportedInEncoder(const MegatronSettings& settings)
{
    if (readHeadSize(settings, requiredMegatronSize(settings, "hidden_size"),
                     requiredMegatronSize(settings, "num_attention_heads")) != 0)
        return unsupported(settings, "kv_channels", "an encoder with attention of another width");
    if (settings.isOn("qk_layernorm"))
        return unsupported(settings, "qk_layernorm", "an encoder with normalised queries and keys");
    if (!settings.boolean("bias").value_or(true))
        return unsupported(settings, "bias", "an encoder without biases");
    if (model::isGated(*readActivation(settings)))
        return unsupported(settings, "activation", "an encoder with a gated activation");
    if (*readNormalization(settings) != Normalization::LayerNorm)
        return unsupported(settings, "normalization", "an encoder with RMSNorm");
    if (*readPositions(settings) != PositionEmbedding::Learned)
        return unsupported(settings, "position_embedding_type", "an encoder without learned positions");
    return std::nullopt;
}

} // namespace

std::variant<ModelSpec, UnsupportedModel> readMegatronModel(const MegatronSettings& settings,
                                                            MegatronKind kind, std::vector<Warning>& warnings)
{
    if (const auto feature = unsupportedFeature(settings))
        return *feature;
    const bool isDecoder = kind == MegatronKind::Decoder;
    if (const auto feature = isDecoder ? unsupportedInDecoder(settings) : unsupportedInEncoder(settings))
        return *feature;
    return isDecoder ? readDecoder(settings, warnings) : readEncoder(settings, warnings);
}

} // namespace batchpeak::config
