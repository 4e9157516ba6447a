// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "hub_models.h"
#include "network_readers.h"
#include "run_reader.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

using model::Activation;
using model::DecoderSpec;
using model::EncoderSpec;
using model::ModelSpec;
using model::Normalization;
using model::PositionEmbedding;

namespace {

using enum UnmodeledFeature::When;

/// \throws NotRun if trials do not support it
Activation readActivation(const Settings& settings)
{
    // Words of build_transformer_config; those with "fast" are the same functions in fused kernels.
    constexpr WordMap<Activation, 6> words{{{"gelu", Activation::Gelu},
                                            {"relu", Activation::Relu},
                                            {"swiglu", Activation::SwiGlu},
                                            {"fast-swiglu", Activation::SwiGlu},
                                            {"geglu", Activation::GeGlu},
                                            {"fast-geglu", Activation::GeGlu}}};
    // The fused kernel computes the tanh approximation: megatron/core/fusions/fused_bias_gelu.py of 0.20.
    const bool isFused =
        settings.boolean("bias_activation_fusion").value_or(true) && settings.boolean("bias").value_or(true);
    const bool isTanh = isFused || settings.boolean("openai_gelu").value_or(false);
    const std::string word = settings.text("activation").value_or("gelu");
    const auto known = meaningOf(words, word);
    if (!known)
        refuseNetwork(settings, "activation", sentence("the activation \"{}\"", word));
    return known == Activation::Gelu && isTanh ? Activation::GeluTanh : *known;
}

/// \throws NotRun if trials do not support it
Normalization readNormalization(const Settings& settings)
{
    // LayerNorm1P centers its weights at 0, and has the same cost.
    constexpr WordMap<Normalization, 4> words{{{"rmsnorm", Normalization::RmsNorm},
                                               {"layernorm", Normalization::LayerNorm},
                                               {"layernorm1p", Normalization::LayerNorm},
                                               {"low_precision_layernorm", Normalization::LayerNorm}}};
    const std::string word = settings.text("normalization").value_or("LayerNorm");
    const auto known = meaningOf(words, lowerCase(word));
    if (!known)
        refuseNetwork(settings, "normalization", sentence("the normalization \"{}\"", word));
    return *known;
}

PositionEmbedding readPositions(const Settings& settings)
{
    const std::string word = settings.text("position_embedding_type").value_or("learned_absolute");
    if (word == "rope")
        return PositionEmbedding::Rotary;
    return word == "alibi" ? PositionEmbedding::Alibi : PositionEmbedding::Learned;
}

constexpr std::array<UnmodeledFeature, 21> otherNetworks{
    {{"multi_latent_attention", "multi-latent attention"},
     {"experimental_attention_variant", "a variant of attention"},
     {"qk_l2_norm", "normalized queries and keys"},
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
     {"apply_residual_connection_post_layernorm", "residual branches behind the normalization"},
     {"transformer_block_type", "the layers \"{value}\"", NoneOf, "pre_ln"},
     {"softmax_type", "the softmax \"{value}\"", NoneOf, "vanilla"},
     {"moe_layer_freq", "layers with experts and layers without", NoneOf, "1"},
     {"position_embedding_type", "the position embedding \"{value}\"", NoneOf,
      "learned_absolute rope alibi"}}};

void requireNetwork(const Settings& settings)
{
    if (settings.integer("num_layers") || settings.integer("hidden_size"))
        return;
    throw networkElsewhere(settings.positionOf("num_layers"),
                           "The config describes no network ({}, {}); give one with --model.",
                           settings.pathOf("num_layers"), settings.pathOf("hidden_size"));
}

constexpr std::int64_t gpt2Tokens = 50257;

/// Returns the number of tokens of tokenizers with a fixed vocabulary. BERT's have two tokens more than their
/// files, [BOS] and [EOS]: _BertWordPieceTokenizer in megatron/training/tokenizer/tokenizer.py of Megatron
/// Core 0.15.
std::optional<std::int64_t> tokensOf(std::string_view tokenizer)
{
    constexpr WordMap<std::int64_t, 7> known{{{"GPT2BPETokenizer", gpt2Tokens},
                                              {"megatron-gpt-345m", gpt2Tokens},
                                              {"BertWordPieceLowerCase", 30522 + 2},
                                              {"megatron-bert-345m-uncased", 30522 + 2},
                                              {"BertWordPieceCase", 28996 + 2},
                                              {"megatron-bert-345m-cased", 28996 + 2},
                                              {"Llama2Tokenizer", 32000}}};
    return meaningOf(known, tokenizer);
}

/// Returns the number of tokens of a tokenizer that is named by a network of the Hugging Face hub.
std::optional<std::int64_t> tokensOfNetwork(const std::string& id, TextPosition position)
{
    // Warnings about the network are ignored: only its number of tokens is used.
    std::vector<Warning> ignored;
    const auto named = namedModel(id, position, ignored);
    const auto* spec = std::get_if<model::ModelSpec>(&named);
    const auto* decoder = spec ? std::get_if<model::DecoderSpec>(&spec->architecture) : nullptr;
    return decoder ? std::optional(decoder->vocabularySize) : std::nullopt;
}

std::int64_t tokens(const Settings& settings, const std::string& defaultTokenizer,
                    std::vector<Warning>& warnings)
{
    if (const auto stated = settings.integer("vocab_size"))
        return checkedSize(settings, "vocab_size", *stated);
    const std::string tokenizer = settings.text("tokenizer_type").value_or(defaultTokenizer);
    if (const auto known = tokensOf(tokenizer))
        return *known;
    const std::string network = settings.text("tokenizer_model").value_or("");
    const TextPosition position = settings.positionOf("tokenizer_type");
    if (const auto known = network.empty() ? std::nullopt : tokensOfNetwork(network, position))
        return *known;
    warnOfApproximation(
        warnings, position, approximation::otherVocabulary,
        "The vocabulary of the tokenizer {} is unknown here, so trials take the {} tokens of GPT-2; with a "
        "larger one the loss takes more memory than they show.",
        network.empty() ? tokenizer : network, gpt2Tokens);
    return gpt2Tokens;
}

/// Returns the rows of the embedding of a Megatron network. Unless override_vocab_size sets it, the number of
/// tokens of the tokenizer is rounded up to a multiple of make_vocab_size_divisible_by times
/// tensor_model_parallel_size (vocab_size_with_padding in megatron/core/tokenizers/utils/build_tokenizer.py
/// of Megatron Core 0.20; _vocab_size_with_padding in megatron_base_model.py of NeMo 2.0).
///
/// \param defaultTokenizer  tokenizer of the program if the config names none
/// \param warnings  receives a warning if the number of tokens is not known here, so that of GPT-2 is used
/// \throws ConfigError if a size that is used is below 1
std::int64_t megatronVocabulary(const Settings& settings, const std::string& defaultTokenizer,
                                std::vector<Warning>& warnings)
{
    if (const auto padded = settings.integer("override_vocab_size"))
        return checkedSize(settings, "override_vocab_size", *padded);
    // The default 128 of make_vocab_size_divisible_by is the same in both sources.
    constexpr std::string_view unitKey = "make_vocab_size_divisible_by";
    const std::int64_t multiple =
        sizeOr(settings, unitKey, 128) * sizeOr(settings, "tensor_model_parallel_size", 1);
    const std::int64_t count = tokens(settings, defaultTokenizer, warnings);
    return checkedResult(settings, unitKey, (count + multiple - 1) / multiple * multiple);
}

/// Returns the size of one head; 0 if the heads divide the hidden size.
std::int64_t readHeadSize(const Settings& settings, std::int64_t hidden, std::int64_t heads)
{
    const auto channels = settings.integer("kv_channels");
    const std::int64_t size = channels ? checkedSize(settings, "kv_channels", *channels) : 0;
    return size * heads == hidden ? 0 : size;
}

/// Returns the feed-forward size; the default is 4 times the hidden size, or for a gated activation two
/// thirds of that in multiples of 64: validate_args.
std::int64_t feedForwardSize(const Settings& settings, std::int64_t hidden, Activation activation)
{
    const std::int64_t defaultSize = activation == Activation::SwiGlu ? 8 * hidden / 3 / 64 * 64 : 4 * hidden;
    const std::int64_t dense = sizeOr(settings, "ffn_hidden_size", std::max<std::int64_t>(defaultSize, 1));
    return settings.isOn("num_moe_experts") ? sizeOr(settings, "moe_ffn_hidden_size", dense) : dense;
}

/// Returns the number of positions; the default is the longest sequence, as for NeMo's networks.
std::int64_t readPositionCount(const Settings& settings)
{
    if (settings.integer("max_position_embeddings"))
        return requiredSize(settings, "max_position_embeddings");
    return settings.integer("encoder_seq_length") ? requiredSize(settings, "encoder_seq_length")
                                                  : requiredSize(settings, "max_position_embeddings");
}

void checkSoundness(const Settings& settings, const std::optional<std::string>& problem)
{
    if (problem)
        throw ConfigError(*problem, settings.positionOf("hidden_size"));
}

void readAttention(const Settings& settings, DecoderSpec& spec)
{
    spec.keyValueHeads = sizeOr(settings, "num_query_groups", spec.heads);
    const bool hasBias = settings.boolean("bias").value_or(true);
    spec.attentionBias = hasBias || settings.boolean("qkv_bias").value_or(false);
    spec.attentionOutputBias = spec.feedForwardBias = hasBias;
    spec.ropeTheta = positiveNumberOr(settings, "rotary_base", 10000.0);
    spec.headSize = readHeadSize(settings, spec.hiddenSize, spec.heads);
    spec.queryKeyNormalization = settings.isOn("qk_layernorm");
    const double part = positiveNumberOr(settings, "rotary_percentage", 1.0);
    if (spec.positionEmbedding == PositionEmbedding::Rotary && part < 1.0)
        spec.rotaryDimensions =
            static_cast<std::int64_t>(part * static_cast<double>(model::headSizeOf(spec)));
}

ModelSpec readDecoder(const Settings& settings, std::vector<Warning>& warnings)
{
    DecoderSpec spec{.vocabularySize = megatronVocabulary(settings, "GPT2BPETokenizer", warnings),
                     .hiddenSize = requiredSize(settings, "hidden_size"),
                     .layers = requiredSize(settings, "num_layers"),
                     .heads = requiredSize(settings, "num_attention_heads"),
                     .maxPositions = readPositionCount(settings)};
    spec.activation = readActivation(settings);
    spec.normalization = readNormalization(settings);
    spec.positionEmbedding = readPositions(settings);
    spec.feedForwardSize = feedForwardSize(settings, spec.hiddenSize, spec.activation);
    spec.tiedEmbeddings = settings.boolean("share_embeddings_and_output_weights").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(settings, "layernorm_epsilon", 1e-5);
    spec.dropout = dropoutRateOr(settings, "hidden_dropout", 0.1);
    spec.attentionDropout = dropoutRateOr(settings, "attention_dropout", 0.1);
    readAttention(settings, spec);
    if (settings.isOn("num_moe_experts")) {
        spec.experts = sizeOr(settings, "num_moe_experts", 1);
        spec.expertsPerToken = sizeOr(settings, "moe_router_topk", 2);
    }
    checkSoundness(settings, model::problemWith(spec));
    const bool isLlama = spec.normalization == Normalization::RmsNorm &&
                         spec.activation == Activation::SwiGlu &&
                         spec.positionEmbedding == PositionEmbedding::Rotary;
    const std::string family = model::hasExperts(spec) ? "mixtral" : (isLlama ? "llama" : "gpt3");
    return {.family = family, .architecture = spec};
}

// BertModel in megatron/core/models/bert/bert_model.py, with the layers of bert_layer_specs.py and the
// choices of model_provider in pretrain_bert.py of Megatron Core 0.15, the last release with that program.
ModelSpec readEncoder(const Settings& settings, std::vector<Warning>& warnings)
{
    EncoderSpec spec{.vocabularySize = megatronVocabulary(settings, "BertWordPieceLowerCase", warnings),
                     .hiddenSize = requiredSize(settings, "hidden_size"),
                     .layers = requiredSize(settings, "num_layers"),
                     .heads = requiredSize(settings, "num_attention_heads"),
                     .maxPositions = readPositionCount(settings)};
    spec.activation = readActivation(settings);
    spec.feedForwardSize = feedForwardSize(settings, spec.hiddenSize, spec.activation);
    const bool comparesSentences = settings.boolean("bert_binary_head").value_or(true);
    spec.tokenTypes = comparesSentences ? 2 : 0;
    spec.pooler = spec.nextSentenceHead = comparesSentences;
    spec.normalizesFirst = spec.finalNormalization = true;
    spec.embeddingNormalization = false;
    spec.tiedEmbeddings = settings.boolean("share_embeddings_and_output_weights").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(settings, "layernorm_epsilon", 1e-5);
    spec.dropout = dropoutRateOr(settings, "hidden_dropout", 0.1);
    spec.attentionDropout = dropoutRateOr(settings, "attention_dropout", 0.1);
    checkSoundness(settings, model::problemWith(spec));
    return {.family = "bert", .architecture = spec};
}

/// Refuses decoders with LayerNorm of queries and keys: these have the normalization of the layers, and
/// decoders here support only RMSNorm for them.
void refuseOtherDecoder(const Settings& settings)
{
    if (settings.isOn("qk_layernorm") && readNormalization(settings) != Normalization::RmsNorm)
        refuseNetwork(settings, "qk_layernorm", "queries and keys normalized by LayerNorm");
}

/// Refuses other encoders: those here have biases, LayerNorm, an activation without a gate, and heads that
/// divide the hidden size.
void refuseOtherEncoder(const Settings& settings)
{
    if (readHeadSize(settings, requiredSize(settings, "hidden_size"),
                     requiredSize(settings, "num_attention_heads")) != 0)
        refuseNetwork(settings, "kv_channels", "an encoder with attention of another width");
    if (settings.isOn("qk_layernorm"))
        refuseNetwork(settings, "qk_layernorm", "an encoder with normalized queries and keys");
    if (!settings.boolean("bias").value_or(true))
        refuseNetwork(settings, "bias", "an encoder without biases");
    if (model::isGated(readActivation(settings)))
        refuseNetwork(settings, "activation", "an encoder with a gated activation");
    if (readNormalization(settings) != Normalization::LayerNorm)
        refuseNetwork(settings, "normalization", "an encoder with RMSNorm");
    if (readPositions(settings) != PositionEmbedding::Learned)
        refuseNetwork(settings, "position_embedding_type", "an encoder without learned positions");
}

} // namespace

ModelSpec readMegatronModel(const Settings& settings, MegatronKind kind, std::vector<Warning>& warnings)
{
    requireNetwork(settings);
    refuseOtherNetwork(settings, otherNetworks);
    readActivation(settings);
    readNormalization(settings);
    if (kind == MegatronKind::Decoder) {
        refuseOtherDecoder(settings);
        return readDecoder(settings, warnings);
    }
    refuseOtherEncoder(settings);
    return readEncoder(settings, warnings);
}

} // namespace batchpeak::config
