// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_readers.h"
#include "differences.h"
#include "networks/network_readers.h"
#include "syntax/words.h"

#include <array>

namespace batchpeak::config {

using model::DecoderSpec;
using model::Normalization;
using model::PositionEmbedding;

namespace {

using enum Difference::When;

// Fields of GPT2LMHeadModelConfig in ModelZoo 2.10.0, models/nlp/gpt2/gpt2_model.py;
// use_untied_layer_norm, selective_grad and alibi_trainable_slopes are of older releases.
constexpr std::array<Difference, 22> otherNetworks{
    {{"norm_first_sandwich", "normalisation on both sides of each branch"},
     {"attention_sliding_window_length", "attention in a sliding window"},
     {"fixed_sparse_attention", "sparse attention"},
     {"attention_chunk_size", "banded attention"},
     {"attention_vertical_column_spacing", "banded attention"},
     {"attention_sink_tokens", "attention sinks"},
     {"use_sink_token", "attention sinks"},
     {"attention_qk_norm_layer", "normalised queries and keys"},
     {"attention_logit_softcapping", "soft capping of attention"},
     {"final_logit_softcapping", "soft capping of logits"},
     {"cross_attention_layers", "cross attention"},
     {"num_extra_input_vocab_tokens", "extra input tokens"},
     {"extra_ffn_params", "a variant of the feed-forward layers"},
     {"attention_inner_dim", "attention of another width than the network's"},
     {"dpo", "direct preference optimization"},
     {"use_untied_layer_norm", "parallel branches"},
     {"selective_grad", "gradients of some parameters alone"},
     {"alibi_trainable_slopes", "ALiBi positions with slopes that are trained"},
     {"rel_distance_mode", "the relative distances \"{value}\"", NoneOf, "default"},
     {"attention_module", "the attention \"{value}\"", NoneOf, "aiayn_attention multiquery_attention"},
     {"position_embedding_type", "the position embedding \"{value}\"", NoneOf, "learned rotary alibi"},
     {"norm_type", "the normalisation \"{value}\"", NoneOf, "layernorm rmsnorm"}}};

constexpr std::array<Difference, 2> otherExperts{
    {{"num_shared_experts", "experts that every token takes"},
     // "learned" where nothing is said: MoEConfig in ModelZoo 2.10.0, layers/FeedForwardNetwork.py.
     {"routing_algorithm", "the routing \"{value}\"", NoneOf, "learned"}}};

void refuseOtherDecoder(const ConfigSection& model)
{
    refuseOtherNetwork(model, otherNetworks);
    refuseOtherNetwork(model.sectionAt("moe"), otherExperts);
    if (model.sectionAt("memory_tokens").isOn("memory_tokens_enabled"))
        refuseNetwork(model, "memory_tokens", "memory tokens");
    if (model.isWrittenNull("position_embedding_type") ||
        !model.boolean("use_position_embedding").value_or(true))
        refuseNetwork(model, "position_embedding_type", "no position embedding");
}

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

void readExperts(const ConfigSection& model, DecoderSpec& spec)
{
    const ConfigSection experts = model.sectionAt("moe");
    const std::int64_t count = experts.integer("num_experts").value_or(0);
    // One expert is a feed-forward layer like any other.
    if (count == 0 || count == 1)
        return;
    spec.experts = count;
    // 1 where nothing is said: MoEConfig in ModelZoo 2.10.0, layers/FeedForwardNetwork.py.
    spec.expertsPerToken = experts.integer("top_k").value_or(1);
}

void readAttention(const ConfigSection& model, DecoderSpec& spec)
{
    spec.keyValueHeads = spec.heads;
    if (model.text("attention_module").value_or("") == "multiquery_attention") {
        // 1 where nothing is said: MultiQueryAttention in ModelZoo 2.10.0,
        // layers/MultiQueryAttentionLayer.py.
        spec.keyValueHeads = model.sectionAt("extra_attention_params").integer("num_kv_groups").value_or(1);
    }
    spec.attentionBias = model.boolean("use_projection_bias_in_attention").value_or(true);
    spec.attentionOutputBias = model.boolean("use_ffn_bias_in_attention").value_or(true);
    if (spec.positionEmbedding != PositionEmbedding::Rotary)
        return;
    spec.ropeTheta = positiveNumberOr(model, "rope_theta", 10000.0);
    // A quarter of the head where nothing is said: post_init of GPT2LMHeadModelConfig.
    spec.rotaryDimensions = model.integer("rotary_dim").value_or(headSizeOf(spec) / 4);
    if (spec.rotaryDimensions < 1)
        model.fail("rotary_dim", "is {}, but must be at least 2", spec.rotaryDimensions);
}

void readDropout(const ConfigSection& model, DecoderSpec& spec, std::vector<Warning>& warnings)
{
    spec.dropout = model.number("dropout_rate").value_or(0.1);
    // "dropout_rate" where it is null, 0.1 where it is absent: GPT2LMHeadModelConfig and its post_init.
    spec.attentionDropout = model.number("attention_dropout_rate")
                                .value_or(model.isWrittenNull("attention_dropout_rate") ? spec.dropout : 0.1);
    const auto embeddingDropout = model.number("embedding_dropout_rate");
    if (embeddingDropout && *embeddingDropout != spec.dropout) {
        warn(warnings, model.positionOf("embedding_dropout_rate"),
             "Trials drop embeddings at the rate of {}, not at this one; the difference in speed is small.",
             model.pathOf("dropout_rate"));
    }
}

void checkSoundness(const ConfigSection& model, const DecoderSpec& spec)
{
    const auto problem = model::problemWith(spec);
    if (!problem)
        return;
    // The keys behind the conditions of problemWith, in its order: the first that fails is the one.
    const auto extra = model.section("extra_attention_params");
    const bool hasGroupProblem = spec.keyValueHeads < 1 || spec.heads % spec.keyValueHeads != 0;
    if (spec.hiddenSize % spec.heads != 0)
        throw ConfigError(*problem, model.positionOf("num_heads"));
    if (hasGroupProblem && extra)
        throw ConfigError(*problem, extra->positionOf("num_kv_groups"));
    if (spec.rotaryDimensions > headSizeOf(spec) || spec.rotaryDimensions % 2 != 0)
        throw ConfigError(*problem, model.positionOf("rotary_dim"));
    if (!model::chooseableExperts(spec))
        throw ConfigError(*problem, model.positionOf("moe"));
    const bool isResidual = !(spec.dropout >= 0 && spec.dropout < 1);
    throw ConfigError(*problem, model.positionOf(isResidual ? "dropout_rate" : "attention_dropout_rate"));
}

} // namespace

// The five sizes must be there: every release up to 2.1.1 demands them, and a network made of the
// defaults of later ones is hardly what somebody meant who left one out. All other absent keys take the
// defaults of GPT2LMHeadModelConfig in ModelZoo 2.10.0, models/nlp/gpt2/gpt2_model.py.
DecoderSpec readCerebrasDecoder(const ConfigSection& model, std::vector<Warning>& warnings)
{
    refuseOtherDecoder(model);
    const model::Activation activation =
        readCerebrasActivation(model, "nonlinearity", "gelu gelu_new gelu_fast swiglu");
    DecoderSpec spec{.vocabularySize = requiredSize(model, "vocab_size"),
                     .hiddenSize = requiredSize(model, "hidden_size"),
                     .layers = requiredSize(model, "num_hidden_layers"),
                     .heads = requiredSize(model, "num_heads"),
                     .feedForwardSize = requiredSize(model, "filter_size"),
                     .maxPositions = sizeOr(model, "max_position_embeddings", 1024)};
    spec.positionEmbedding = positionEmbeddingOf(model.text("position_embedding_type").value_or("learned"));
    spec.normalization = normalizationOf(model.text("norm_type").value_or("layernorm"));
    spec.activation = activation;
    spec.tiedEmbeddings = model.boolean("share_embedding_weights").value_or(true);
    spec.feedForwardBias = model.boolean("use_ffn_bias").value_or(true);
    spec.outputBias = model.boolean("use_bias_in_output").value_or(false);
    spec.normalizationEpsilon = positiveNumberOr(model, "layer_norm_epsilon", 1e-5);
    // False where nothing is said: GPT2LMHeadModelConfig.
    spec.embeddingNormalization = model.boolean("embedding_layer_norm").value_or(false);
    readExperts(model, spec);
    readAttention(model, spec);
    readDropout(model, spec, warnings);
    checkSoundness(model, spec);
    return spec;
}

model::Activation readCerebrasActivation(const ConfigSection& model, std::string_view key,
                                         std::string_view words)
{
    // "gelu" is torch's, with the error function; gelu_new and gelu_fast are the approximation by tanh
    // (ModelZoo 2.10.0, layers/activations.py).
    constexpr WordTable<model::Activation, 5> activations{{{"gelu", model::Activation::Gelu},
                                                           {"gelu_new", model::Activation::GeluTanh},
                                                           {"gelu_fast", model::Activation::GeluTanh},
                                                           {"swiglu", model::Activation::SwiGlu},
                                                           {"relu", model::Activation::Relu}}};
    const std::string word = model.text(key).value_or(std::string(splitWords(words).front()));
    if (!isAmong(word, words))
        refuseNetwork(model, key, sentence("the activation \"{}\"", word));
    return *meaningOf(activations, word);
}

} // namespace batchpeak::config
